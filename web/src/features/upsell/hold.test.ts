import { expect, test } from 'vitest'
import { holdEnd } from './choice'

const now = new Date('2026-11-21T12:00:00Z')

test('without a stored end the hold lasts 15 minutes', () => {
  expect(holdEnd(null, now).toISOString()).toBe('2026-11-21T12:15:00.000Z')
})

test('a stored end is used, also after it has passed', () => {
  const ahead = new Date('2026-11-21T12:07:00Z')
  const past = new Date('2026-11-21T11:59:00Z')
  expect(holdEnd(ahead, now)).toBe(ahead)
  expect(holdEnd(past, now)).toBe(past)
})

test('an end more than 15 minutes ahead does not belong to a hold', () => {
  expect(holdEnd(new Date('2026-11-21T13:00:00Z'), now).toISOString()).toBe('2026-11-21T12:15:00.000Z')
})
