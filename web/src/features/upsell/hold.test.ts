import { expect, test } from 'vitest'
import { holdEnd } from './hold'

const now = new Date('2026-11-21T12:00:00Z')

test('sem fim guardado a reserva dura 15 minutos', () => {
  expect(holdEnd(null, now).toISOString()).toBe('2026-11-21T12:15:00.000Z')
})

test('um fim guardado vale, também depois de passar', () => {
  const ahead = new Date('2026-11-21T12:07:00Z')
  const past = new Date('2026-11-21T11:59:00Z')
  expect(holdEnd(ahead, now)).toBe(ahead)
  expect(holdEnd(past, now)).toBe(past)
})

test('um fim mais longe que 15 minutos não é de uma reserva', () => {
  expect(holdEnd(new Date('2026-11-21T13:00:00Z'), now).toISOString()).toBe('2026-11-21T12:15:00.000Z')
})
