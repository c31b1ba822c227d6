import { expect, test } from 'vitest'
import { clockText, hoursAndMinutes, timeLeft } from './countdown'

const end = new Date('2026-11-28T12:00:00Z')

test('the countdown has days, hours, minutes and seconds', () => {
  expect(timeLeft(end, new Date('2026-11-26T10:58:57Z'))).toMatchObject({
    days: 2,
    hours: 1,
    minutes: 1,
    seconds: 3,
    over: false,
  })
})

test('the countdown stops at zero', () => {
  expect(timeLeft(end, new Date('2026-12-01T00:00:00Z'))).toEqual({
    totalMs: 0,
    days: 0,
    hours: 0,
    minutes: 0,
    seconds: 0,
    over: true,
  })
})

test('zero is shown only when the time is over', () => {
  expect(timeLeft(end, new Date('2026-11-28T11:59:59.600Z'))).toMatchObject({ seconds: 1, over: false })
})

test('the clock has minutes and seconds, and hours only if there are any', () => {
  expect(clockText(timeLeft(end, new Date('2026-11-28T11:45:01Z')))).toBe('14:59')
  expect(clockText(timeLeft(end, new Date('2026-11-27T10:59:59Z')))).toBe('25:00:01')
})

test('hours and minutes are rounded up, and the hours end with the last one', () => {
  const before = (start: string) => hoursAndMinutes(timeLeft(end, new Date(start)))
  expect(before('2026-11-28T10:15:30Z')).toBe('1\u00a0h 45\u00a0min')
  expect(before('2026-11-28T11:00:00Z')).toBe('1\u00a0h 0\u00a0min')
  expect(before('2026-11-28T11:59:59Z')).toBe('1\u00a0min')
})
