import { useEffect, useEffectEvent, useState } from 'react'
import { serverNow } from './server-clock'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './timers'

/** Time left until an end, never below zero. */
interface TimeLeft {
  totalMs: number
  days: number
  hours: number
  minutes: number
  seconds: number
  over: boolean
}

export function timeLeft(end: Date, now: Date): TimeLeft {
  const totalMs = Math.max(0, end.getTime() - now.getTime())
  // Rounded up, so that zero is shown when it is over and not a second before.
  const left = Math.ceil(totalMs / SECOND_MS) * SECOND_MS
  return {
    totalMs,
    days: Math.floor(left / DAY_MS),
    hours: Math.floor((left % DAY_MS) / HOUR_MS),
    minutes: Math.floor((left % HOUR_MS) / MINUTE_MS),
    seconds: Math.floor((left % MINUTE_MS) / SECOND_MS),
    over: totalMs === 0,
  }
}

/** '09': the two digits in which a countdown shows each part. */
function twoDigits(value: number): string {
  return value.toString().padStart(2, '0')
}

/** '14:59': minutes and seconds, with the hours in front once there are any. */
export function clockText({ days, hours, minutes, seconds }: TimeLeft): string {
  const allHours = days * 24 + hours
  const parts = allHours > 0 ? [allHours, minutes, seconds] : [minutes, seconds]
  return parts.map(twoDigits).join(':')
}

/** '1 h 45 min', or '45 min', rounded up. */
export function hoursAndMinutes({ totalMs }: TimeLeft): string {
  const minutes = Math.ceil(totalMs / MINUTE_MS)
  const hours = Math.floor(minutes / 60)
  const rest = `${minutes % 60}\u00a0min`
  return hours > 0 ? `${hours}\u00a0h ${rest}` : rest
}

/** The time left until `end`, updated every second until it is over. `onOver` is called then. */
export function useCountdown(end: Date, onOver?: () => void): TimeLeft {
  const endMs = end.getTime()
  const [left, setLeft] = useState(() => timeLeft(end, serverNow()))
  const ended = useEffectEvent(() => onOver?.())
  useEffect(() => {
    const tick = () => {
      const next = timeLeft(new Date(endMs), serverNow())
      setLeft(next)
      if (!next.over) return
      clearInterval(timer)
      ended()
    }
    const timer = setInterval(tick, SECOND_MS)
    tick()
    return () => clearInterval(timer)
  }, [endMs])
  return left
}
