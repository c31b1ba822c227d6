import { expect, test } from 'vitest'
import { trial } from '../gen/catalog.json'
import { DAY_MS, TRIAL_MS } from './timers'

test('the trial lasts as long as in the catalogue', () => {
  expect(TRIAL_MS).toBe(trial.days * DAY_MS)
})
