import type { PaymentIntentResult } from '@stripe/stripe-js'
import { expect, test } from 'vitest'
import { refusalOf } from './stripe'

const failed = (error: object) => ({ error }) as unknown as PaymentIntentResult
const ended = (status: string) => ({ paymentIntent: { status } }) as unknown as PaymentIntentResult

test('a payment that succeeded now or earlier is no refusal', () => {
  expect(refusalOf(ended('succeeded'))).toBeNull()
  expect(refusalOf(ended('processing'))).toBeNull()
  expect(
    refusalOf(failed({ type: 'invalid_request_error', payment_intent: { status: 'succeeded' } })),
  ).toBeNull()
})

test('a failed authentication, a declined card and a provider failure are distinguished', () => {
  expect(refusalOf(failed({ type: 'card_error', code: 'payment_intent_authentication_failure' }))).toBe(
    'authentication',
  )
  expect(refusalOf(ended('requires_action'))).toBe('authentication')
  expect(
    refusalOf(failed({ type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' })),
  ).toBe('declined')
  expect(refusalOf(failed({ type: 'api_connection_error' }))).toBe('failed')
})
