import { afterEach, expect, test, vi } from 'vitest'
import { afterPaint } from './use-late'

afterEach(() => vi.unstubAllGlobals())

test('a job that does not change the page waits until the next frame is painted', () => {
  const steps: (() => void)[] = []
  const next = (step: () => void) => steps.push(step)
  vi.stubGlobal('document', { hidden: false })
  vi.stubGlobal('requestAnimationFrame', next)
  vi.stubGlobal('setTimeout', next)
  const job = vi.fn()
  afterPaint(job)
  // The frame is painted between its callback and the next task.
  steps.shift()?.()
  expect(job).not.toHaveBeenCalled()
  steps.shift()?.()
  expect(job).toHaveBeenCalledOnce()
})

test('in a hidden page nothing is painted, and no job waits', () => {
  vi.stubGlobal('document', { hidden: true })
  const job = vi.fn()
  afterPaint(job)
  expect(job).toHaveBeenCalledOnce()
})
