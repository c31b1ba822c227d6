import type { PaymentIntentResult } from '@stripe/stripe-js'
import { expect, test } from 'vitest'
import { refusalOf } from './payment-refusal'

const failed = (error: object) => ({ error }) as unknown as PaymentIntentResult
const ended = (status: string) => ({ paymentIntent: { status } }) as unknown as PaymentIntentResult

test('pago agora ou antes não é recusa', () => {
  expect(refusalOf(ended('succeeded'))).toBeNull()
  expect(refusalOf(ended('processing'))).toBeNull()
  expect(
    refusalOf(failed({ type: 'invalid_request_error', payment_intent: { status: 'succeeded' } })),
  ).toBeNull()
})

test('confirmação negada, cartão recusado e falha do provedor são coisas diferentes', () => {
  expect(refusalOf(failed({ type: 'card_error', code: 'payment_intent_authentication_failure' }))).toBe(
    'authentication',
  )
  expect(refusalOf(ended('requires_action'))).toBe('authentication')
  expect(
    refusalOf(failed({ type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' })),
  ).toBe('declined')
  expect(refusalOf(failed({ type: 'api_connection_error' }))).toBe('failed')
})
