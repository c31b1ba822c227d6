import { expect, test } from 'vitest'
import {
  dateFromUnixSeconds,
  endOfDayInSaoPaulo,
  formatDate,
  formatDay,
  formatMoment,
  lastDay,
  toDate,
  yearInSaoPaulo,
} from './dates'

test('a data é a de São Paulo, não a do fuso do aparelho', () => {
  const almostMidnight = new Date('2026-11-27T02:30:00Z')
  expect(formatDate(almostMidnight)).toBe('26/11/2026')
  expect(formatDay(almostMidnight)).toBe('26/11')
})

test('o que acaba à meia-noite tem por último dia o de antes', () => {
  expect(lastDay(new Date('2026-12-01T03:00:00Z'))).toBe('30/11/2026')
  expect(lastDay(new Date('2026-12-01T12:00:00Z'))).toBe('01/12/2026')
})

test('o ano vira à meia-noite de São Paulo', () => {
  expect(yearInSaoPaulo(new Date('2027-01-01T02:59:59Z'))).toBe('2026')
  expect(yearInSaoPaulo(new Date('2027-01-01T03:00:00Z'))).toBe('2027')
})

test('o fim do dia é 23:59:59 em São Paulo', () => {
  expect(endOfDayInSaoPaulo(new Date('2026-11-22T02:59:58Z')).toISOString()).toBe('2026-11-22T02:59:59.000Z')
  expect(endOfDayInSaoPaulo(new Date('2026-11-22T03:00:00Z')).toISOString()).toBe('2026-11-23T02:59:59.000Z')
})

test('sem segundos não há data', () => {
  expect(dateFromUnixSeconds(null)).toBeNull()
  expect(dateFromUnixSeconds(0n)?.getTime()).toBe(0)
})

test('um momento tem dia e hora de São Paulo', () => {
  expect(formatMoment(new Date('2026-11-26T17:30:00Z'))).toBe('26/11/2026 às 14:30')
})

test('um Timestamp vira data, e a falta dele não', () => {
  expect(toDate({ seconds: 1n, nanos: 500_000_000 })?.getTime()).toBe(1500)
  expect(toDate(undefined)).toBeNull()
})
