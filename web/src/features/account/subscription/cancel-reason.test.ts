import { expect, test } from 'vitest'
import { cancelForm } from '../../../texts/billing-dialogs'
import { cancelReason } from './cancel-reason'

test('the cancellation reason is optional: from the list, in free words or both', () => {
  expect(cancelReason('', '  ')).toBeUndefined()
  expect(cancelReason('Uso pouco', '')).toBe('Uso pouco')
  expect(cancelReason('', ' Volto em janeiro. ')).toBe('Volto em janeiro.')
  expect(cancelReason('Uso pouco', 'Volto em janeiro.')).toBe('Uso pouco: Volto em janeiro.')
})

test('the words have the same room beside each reason, within the 500 characters that the server keeps', () => {
  const words = 'x'.repeat(900)
  expect(cancelReason('', words)).toHaveLength(450)
  for (const choice of cancelForm.reasons)
    expect(cancelReason(choice, words)).toHaveLength(choice.length + 2 + 450)
  expect(Math.max(...cancelForm.reasons.map((choice) => choice.length))).toBeLessThanOrEqual(48)
})
