import { expect, test } from 'vitest'
import { pollInterval } from './poll-interval'

test.each([
  ['at once', 0, 3_000],
  ['within the first minute', 59_999, 3_000],
  ['after a minute', 60_000, 30_000],
  ['after a day', 86_400_000, 30_000],
])('an awaited payment is read again %s', (_, awaitedMs, next) => {
  expect(pollInterval(awaitedMs)).toBe(next)
})
