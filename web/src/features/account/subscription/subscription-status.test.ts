import { expect, test } from 'vitest'
import { statusOf } from '../../../api/subscription'
import { statusLabel } from './subscription-status'

test('ativa e inativa decidem o rótulo, qualquer que seja o status', () => {
  expect(statusLabel(true, 'past_due')).toEqual({ text: 'Ativa', tone: 'good' })
  expect(statusLabel(false, 'active')).toEqual({ text: 'Inativa', tone: 'bad' })
})

test('antes do primeiro pagamento aparece o status em português', () => {
  expect(statusLabel(undefined, 'awaiting_payment').text).toBe('Aguardando pagamento')
  expect(statusLabel(undefined, statusOf('outro')).text).toBe('Processando')
  expect(statusLabel(undefined, undefined).text).toBe('Processando')
})
