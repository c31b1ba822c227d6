import { afterEach, expect, test, vi } from 'vitest'
import { afterPaint } from './after-paint'

afterEach(() => vi.unstubAllGlobals())

test('o que não muda a página espera o quadro seguinte ser pintado', () => {
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

test('em uma página que ninguém vê nada é pintado, e nada espera', () => {
  vi.stubGlobal('document', { hidden: true })
  const job = vi.fn()
  afterPaint(job)
  expect(job).toHaveBeenCalledOnce()
})
