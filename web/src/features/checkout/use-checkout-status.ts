import { type Query, useQuery } from '@tanstack/react-query'
import { checkoutQuery, isNoCheckout } from '../../api/checkout'
import type { GetCheckoutSessionResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { type Outcome, outcomeOf } from '../../lib/checkout-outcome'
import { usePollInterval } from '../../lib/poll-interval'

/** What the server says about one checkout, asked until it says something. */
export type CheckoutStatus =
  | { kind: 'asking' }
  | { kind: 'known'; outcome: Outcome; answer: GetCheckoutSessionResponse }
  /** No such session. */
  | { kind: 'unknown' }

const ASKING: CheckoutStatus = { kind: 'asking' }
const UNKNOWN: CheckoutStatus = { kind: 'unknown' }
const known = (answer: GetCheckoutSessionResponse): CheckoutStatus => ({
  kind: 'known',
  outcome: outcomeOf(answer),
  answer,
})

/**
 * Reads how a checkout stands, again while the server cannot be asked, and again while
 * `keepPolling` says so. Without a session id it is unknown.
 */
export function useCheckoutStatus(
  sessionId: string | null,
  keepPolling: (outcome: Outcome) => boolean = () => false,
): CheckoutStatus {
  const interval = usePollInterval()
  const isAwaited = ({ state: { data, error } }: Pick<Query<GetCheckoutSessionResponse>, 'state'>) =>
    error ? !isNoCheckout(error) : data !== undefined && keepPolling(outcomeOf(data))
  const { data, error } = useQuery({
    ...checkoutQuery(sessionId),
    select: known,
    refetchInterval: (query) => isAwaited(query) && interval(),
    refetchOnWindowFocus: (query) => isAwaited(query) && 'always',
  })
  if (!sessionId || (error && isNoCheckout(error))) return UNKNOWN
  return data ?? ASKING
}
