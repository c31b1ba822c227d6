import { expect, test } from 'vitest'
import { confirmationOf } from './confirmation'

const now = new Date('2026-11-21T12:00:00Z')
const later = new Date('2026-11-24T12:00:00Z')
const earlier = new Date('2026-11-10T12:00:00Z')

test('a running trial shows its end', () => {
  const trial = { kind: 'running' as const, end: later, firstChargeAt: null }
  expect(confirmationOf(trial, null, now)).toEqual({ kind: 'running', end: later })
})

test('a trial that ends while the page is open is shown as over', () => {
  expect(confirmationOf({ kind: 'running', end: earlier, firstChargeAt: null }, later, now)).toEqual({
    kind: 'over',
    end: earlier,
  })
  expect(confirmationOf({ kind: 'over', end: earlier }, null, now)).toEqual({ kind: 'over', end: earlier })
})

test('a person who used the trial in another account reads that, and not that it is over', () => {
  const WEEK_MS = 7 * 86_400_000
  const over = { kind: 'over' as const, end: earlier }
  const stored = (after: number) => new Date(earlier.getTime() + after + WEEK_MS)
  expect(confirmationOf(over, stored(800), now)).toEqual({ kind: 'used' })
  // The browser's clock may be a little behind.
  expect(confirmationOf(over, stored(-800), now)).toEqual({ kind: 'used' })
  // A trial that a payment ended, or that ran to its end.
  expect(confirmationOf(over, stored(-120_000), now)).toEqual(over)
  expect(confirmationOf(over, stored(-WEEK_MS), now)).toEqual(over)
})

test('a subscriber sees no trial countdown', () => {
  expect(confirmationOf({ kind: 'subscribed' }, later, now)).toEqual({ kind: 'subscribed' })
})

test('without a response the stored end is used, unless it has passed', () => {
  expect(confirmationOf({ kind: 'unknown' }, later, now)).toEqual({ kind: 'running', end: later })
  expect(confirmationOf({ kind: 'unknown' }, earlier, now)).toEqual({ kind: 'ready' })
  expect(confirmationOf({ kind: 'unknown' }, null, now)).toEqual({ kind: 'ready' })
})
