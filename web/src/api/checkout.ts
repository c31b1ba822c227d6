import { createQueryOptions } from '@connectrpc/connect-query'
import { BillingService, type GetCheckoutSessionResponse } from '../gen/garimpo/billing/v1/billing_service_pb'
import { type Outcome, outcomeOf } from '../lib/checkout-outcome'
import { reasonOf } from './app-error'
import { call } from './call'
import { transport } from './transport'

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

/** The same, shared by all who show it; without an id it is not read. */
export const checkoutQuery = (sessionId: string | null) => ({
  ...createQueryOptions(
    BillingService.method.getCheckoutSession,
    { sessionId: sessionId ?? '' },
    { transport },
  ),
  enabled: sessionId !== null,
  gcTime: 0,
  meta: { failure: 'asking for the payment failed' },
})

/** Whether a reading failed because there is no such checkout. */
export function isNoCheckout(cause: unknown): boolean {
  return ['NOT_FOUND', 'INVALID_ARGUMENT'].includes(reasonOf(cause))
}
