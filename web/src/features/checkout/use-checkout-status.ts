import { useQuery } from '@tanstack/react-query'
import { type CheckoutState, checkoutQuery, isNoCheckout } from '../../api/checkout'
import { queryClient } from '../../api/query-client'
import type { GetCheckoutSessionResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import type { Outcome } from '../../lib/checkout-outcome'
import { CHECKOUT_POLL_MS } from '../../lib/timers'

/** What the server says about one checkout, asked until it says something. */
export type Truth =
  | { kind: 'asking' }
  | { kind: 'known'; outcome: Outcome; answer: GetCheckoutSessionResponse }
  /** No such session. */
  | { kind: 'unknown' }

const ASKING: Truth = { kind: 'asking' }
const UNKNOWN: Truth = { kind: 'unknown' }
const known = (state: CheckoutState): Truth => ({ kind: 'known', ...state })

/**
 * Reads how a checkout stands, again while the server cannot be asked, and again while `waits` says so.
 * Without a session id it is unknown.
 */
export function usePaymentTruth(
  sessionId: string | null,
  waits: (outcome: Outcome) => boolean = () => false,
): Truth {
  const { data, error } = useQuery(
    {
      ...checkoutQuery(sessionId),
      select: known,
      refetchInterval: ({ state: { data, error } }) => {
        if (error) return isNoCheckout(error) ? false : CHECKOUT_POLL_MS
        return data && waits(data.outcome) ? CHECKOUT_POLL_MS : false
      },
    },
    queryClient,
  )
  if (!sessionId || (error && isNoCheckout(error))) return UNKNOWN
  return data ?? ASKING
}
