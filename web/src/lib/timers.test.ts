import { expect, test } from 'vitest'
import { trial } from '../gen/catalog.json'
import { DAY_MS, TRIAL_MS } from './timers'

test('o teste grátis dura o que o catálogo diz', () => {
  expect(TRIAL_MS).toBe(trial.days * DAY_MS)
})
