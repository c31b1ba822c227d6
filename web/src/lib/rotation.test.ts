import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PARTNERS_CAROUSEL_MS, SOLUTIONS_CAROUSEL_MS } from './timers'
import { rotation } from './use-rotation'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const startRotation = (count: number, intervalMs: number) => {
  const shown: number[] = []
  return { shown, ...rotation(count, intervalMs, (index) => shown.push(index)) }
}

test('the solutions carousel advances every 15 seconds and starts over', () => {
  const { shown, run } = startRotation(3, SOLUTIONS_CAROUSEL_MS)
  run()
  vi.advanceTimersByTime(14_999)
  expect(shown).toEqual([])
  vi.advanceTimersByTime(1)
  expect(shown).toEqual([1])
  vi.advanceTimersByTime(30_000)
  expect(shown).toEqual([1, 2, 0])
})

test('the stores carousel advances every 3 seconds', () => {
  const { shown, run } = startRotation(9, PARTNERS_CAROUSEL_MS)
  run()
  vi.advanceTimersByTime(2_999)
  expect(shown).toEqual([])
  vi.advanceTimersByTime(1)
  expect(shown).toEqual([1])
})

test('choosing a tab restarts the interval, even the tab already shown', () => {
  const { shown, run, go } = startRotation(3, SOLUTIONS_CAROUSEL_MS)
  run()
  vi.advanceTimersByTime(14_000)
  go(2)
  vi.advanceTimersByTime(14_000)
  go(2)
  vi.advanceTimersByTime(14_999)
  expect(shown).toEqual([2, 2])
  vi.advanceTimersByTime(1)
  expect(shown).toEqual([2, 2, 0])
})

test('a paused carousel does not advance, even after a choice, and resumes with a whole interval', () => {
  const { shown, run, hold, go } = startRotation(3, SOLUTIONS_CAROUSEL_MS)
  vi.advanceTimersByTime(60_000)
  expect(shown).toEqual([])
  run()
  vi.advanceTimersByTime(10_000)
  hold()
  go(1)
  vi.advanceTimersByTime(60_000)
  expect(shown).toEqual([1])
  run()
  vi.advanceTimersByTime(14_999)
  expect(shown).toEqual([1])
  vi.advanceTimersByTime(1)
  expect(shown).toEqual([1, 2])
})
