import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { rotation } from './rotation'
import { PARTNERS_CAROUSEL_MS, SOLUTIONS_CAROUSEL_MS } from './timers'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const turning = (count: number, intervalMs: number) => {
  const shown: number[] = []
  return { shown, ...rotation(count, intervalMs, (index) => shown.push(index)) }
}

test('o carrossel de soluções avança a cada 15 segundos e dá a volta', () => {
  const { shown, run } = turning(3, SOLUTIONS_CAROUSEL_MS)
  run()
  vi.advanceTimersByTime(14_999)
  expect(shown).toEqual([])
  vi.advanceTimersByTime(1)
  expect(shown).toEqual([1])
  vi.advanceTimersByTime(30_000)
  expect(shown).toEqual([1, 2, 0])
})

test('o carrossel de lojas avança a cada 3 segundos', () => {
  const { shown, run } = turning(9, PARTNERS_CAROUSEL_MS)
  run()
  vi.advanceTimersByTime(2_999)
  expect(shown).toEqual([])
  vi.advanceTimersByTime(1)
  expect(shown).toEqual([1])
})

test('escolher uma aba recomeça a contagem, mesmo a aba que já se vê', () => {
  const { shown, run, go } = turning(3, SOLUTIONS_CAROUSEL_MS)
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

test('parado não avança, nem depois de escolher; ao seguir espera um intervalo inteiro', () => {
  const { shown, run, hold, go } = turning(3, SOLUTIONS_CAROUSEL_MS)
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
