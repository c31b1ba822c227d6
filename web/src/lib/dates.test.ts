import { expect, test } from 'vitest'
import {
  dateFromUnixSeconds,
  endOfDayInSaoPaulo,
  endOfDayOfYear,
  formatDate,
  formatDay,
  formatMoment,
  lastDay,
  toDate,
  yearInSaoPaulo,
} from './dates'

test('the date is that of São Paulo, not of the device', () => {
  const almostMidnight = new Date('2026-11-27T02:30:00Z')
  expect(formatDate(almostMidnight)).toBe('26/11/2026')
  expect(formatDay(almostMidnight)).toBe('26/11')
})

test('a period that ends at midnight has the day before as its last day', () => {
  expect(lastDay(new Date('2026-12-01T03:00:00Z'))).toBe('30/11/2026')
  expect(lastDay(new Date('2026-12-01T12:00:00Z'))).toBe('01/12/2026')
})

test('the year changes at midnight in São Paulo', () => {
  expect(yearInSaoPaulo(new Date('2027-01-01T02:59:59Z'))).toBe('2026')
  expect(yearInSaoPaulo(new Date('2027-01-01T03:00:00Z'))).toBe('2027')
})

test('the end of a day of the year is 23:59:59 in São Paulo', () => {
  expect(endOfDayOfYear('30/11', new Date('2027-01-01T02:00:00Z')).toISOString()).toBe(
    '2026-12-01T02:59:59.000Z',
  )
})

test('the end of the day is 23:59:59 in São Paulo', () => {
  expect(endOfDayInSaoPaulo(new Date('2026-11-22T02:59:58Z')).toISOString()).toBe('2026-11-22T02:59:59.000Z')
  expect(endOfDayInSaoPaulo(new Date('2026-11-22T03:00:00Z')).toISOString()).toBe('2026-11-23T02:59:59.000Z')
})

test('without seconds there is no date', () => {
  expect(dateFromUnixSeconds(null)).toBeNull()
  expect(dateFromUnixSeconds(0n)?.getTime()).toBe(0)
})

test('a moment has the day and the time of São Paulo', () => {
  expect(formatMoment(new Date('2026-11-26T17:30:00Z'))).toBe('26/11/2026 às 14:30')
})

test('a Timestamp becomes a date, and a missing one becomes null', () => {
  expect(toDate({ seconds: 1n, nanos: 500_000_000 })?.getTime()).toBe(1500)
  expect(toDate(undefined)).toBeNull()
})
