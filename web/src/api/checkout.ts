import { createQueryOptions } from '@connectrpc/connect-query'
import { queryOptions } from '@tanstack/react-query'
import { BillingService, type GetCheckoutSessionResponse } from '../gen/garimpo/billing/v1/billing_service_pb'
import { type Outcome, outcomeOf, resultAddress } from '../lib/checkout-outcome'
import { paths } from '../lib/paths'
import { reasonOf } from './app-error'
import { call } from './call'
import { isSubscribed } from './subscription'
import { transport } from './transport'

/** The state of a checkout at the server. */
export interface CheckoutState {
  outcome: Outcome
  answer: GetCheckoutSessionResponse
}

/** Reads the state of a checkout. Throws an AppError, NOT_FOUND for an unknown session. */
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
  staleTime: 0,
  gcTime: 0,
  meta: { failure: 'asking for the payment failed' },
})

/** The address that an ended checkout leads to; 'complete' stays, and null is an open one. */
export const checkoutEndQuery = (sessionId: string | null) =>
  queryOptions({
    queryKey: ['checkout end', { sessionId }],
    queryFn: async (): Promise<'complete' | string | null> => {
      const { outcome } = await askCheckout(sessionId ?? '')
      if (outcome === 'paid' || outcome === 'awaiting') return 'complete'
      if (await isSubscribed()) return paths.paymentSuccess
      return outcome === 'expired' ? resultAddress(paths.checkoutReturn, sessionId) : null
    },
  })

/** Whether a reading failed because there is no such checkout. */
export function isNoCheckout(cause: unknown): boolean {
  return ['NOT_FOUND', 'INVALID_ARGUMENT'].includes(reasonOf(cause))
}
