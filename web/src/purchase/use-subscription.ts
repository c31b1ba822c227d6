import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../api/query-client'
import { isLive, subscriptionQuery } from '../api/subscription'
import type {
  Boleto,
  GetSubscriptionResponse,
  Subscription,
} from '../gen/garimpo/billing/v1/billing_service_pb'
import { toDate } from '../lib/dates'
import { useConfirmedSession, useUid } from '../session/session'

/** Whether the person subscribes, as the server says. */
type Subscribing =
  | { kind: 'asking' }
  | { kind: 'active'; subscription: Subscription }
  /**
   * Nothing live: nobody signed in, no answer, or a subscription that waits for a payment or is
   * over.
   */
  | {
      kind: 'inactive'
      subscription: Subscription | null
      /** The unpaid boleto. */
      boleto: Boleto | null
      /** When the free trial ends or ended. */
      trialEndsAt: Date | null
      /** When a purchase made now is first charged, where that is not at once. */
      firstChargeAt: Date | null
      /** Whether a purchase made now has no guarantee. */
      guaranteeUsed: boolean
    }

const ASKING: Subscribing = { kind: 'asking' }
const NOTHING: Subscribing = {
  kind: 'inactive',
  subscription: null,
  boleto: null,
  trialEndsAt: null,
  firstChargeAt: null,
  guaranteeUsed: false,
}

/** The subscription of the signed-in visitor. */
export function useSubscription(): Subscribing {
  const session = useConfirmedSession()
  const uid = useUid()
  const { data, isError } = useQuery({ ...subscriptionQuery(uid), select: subscribingOf }, queryClient)
  if (session.kind === 'none') return NOTHING
  return data ?? (isError ? NOTHING : ASKING)
}

function subscribingOf(answer: GetSubscriptionResponse): Subscribing {
  const { subscription = null, boleto = null, guaranteeUsed } = answer
  return subscription && isLive(subscription)
    ? { kind: 'active', subscription }
    : {
        kind: 'inactive',
        subscription,
        boleto,
        trialEndsAt: toDate(answer.trialEndsAt),
        firstChargeAt: toDate(answer.firstChargeAt),
        guaranteeUsed,
      }
}
