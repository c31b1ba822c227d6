import { expect, test } from 'vitest'
import { statusOf } from '../../../api/subscription'
import { statusLabel } from './account-status'

test('the active flag decides the label, whatever the status', () => {
  expect(statusLabel(true, 'past_due')).toEqual({ text: 'Ativa', tone: 'good' })
  expect(statusLabel(false, 'active')).toEqual({ text: 'Inativa', tone: 'bad' })
})

test('before the first payment the label is the status in Portuguese', () => {
  expect(statusLabel(undefined, 'awaiting_payment').text).toBe('Aguardando pagamento')
  expect(statusLabel(undefined, statusOf('outro')).text).toBe('Processando')
  expect(statusLabel(undefined, undefined).text).toBe('Processando')
})
