import { useEffect, useState } from 'react'
import { loadConfig } from '../../lib/config'
import { endOfDayInSaoPaulo } from '../../lib/dates'
import { serverNow } from '../../lib/server-clock'
import { SECOND_MS } from '../../lib/timers'

/** 23:59:59 of today in São Paulo by the server's clock, null until it is known; the next day's once it is over. */
export function useEndOfDay(wanted: boolean): Date | null {
  const [end, setEnd] = useState<Date | null>(null)
  useEffect(() => {
    if (!wanted) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let stopped = false
    const look = () => {
      if (stopped) return
      const today = endOfDayInSaoPaulo(serverNow())
      setEnd(today)
      timer = setTimeout(look, today.getTime() - serverNow().getTime() + SECOND_MS)
    }
    // The visitor's own clock has to do when the server's cannot be asked.
    void loadConfig()
      .catch(() => undefined)
      .then(look)
    return () => {
      stopped = true
      clearTimeout(timer)
    }
  }, [wanted])
  return end
}
