import { expect, test } from 'vitest'
import { doneSteps, storedSteps } from './kept-steps'

test('the done steps are those of the account that stored them', () => {
  const stored = storedSteps('usr_1', [0, 2])
  expect(stored).toBe('usr_1 0 2')
  expect(doneSteps(stored, 'usr_1')).toEqual([0, 2])
  expect(doneSteps(stored, 'usr_2')).toEqual([])
  expect(doneSteps(storedSteps('usr_1', []), 'usr_1')).toEqual([])
  expect(doneSteps(null, 'usr_1')).toEqual([])
})
