import type { GetCheckoutSessionResponse } from '../gen/garimpo/billing/v1/billing_service_pb'
import { type Outcome, outcomeOf } from '../lib/checkout-outcome'
import { call } from './call'

/** A checkout as the server knows it. */
export interface CheckoutState {
  outcome: Outcome
  answer: GetCheckoutSessionResponse
}

/** Asks how a checkout stands. Throws an AppError, NOT_FOUND for a session that never was. */
export async function askCheckout(sessionId: string): Promise<CheckoutState> {
  const answer = await call(({ billing }) => billing.getCheckoutSession({ sessionId }))
  return { outcome: outcomeOf(answer), answer }
}
