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

/** What a purchase made now meets. Empty for a subscriber, and until the server has replied. */
interface PurchaseTerms {
  /** The unpaid boleto. */
  boleto: Boleto | null
  /** When the free trial ends or ended. */
  trialEndsAt: Date | null
  /** When it is first charged, where that is not at once. */
  firstChargeAt: Date | null
  /** Whether it has no guarantee. */
  guaranteeUsed: boolean
}

/** The subscription of a visitor, as the server returned it. */
type OwnSubscription = PurchaseTerms &
  (
    | { kind: 'asking'; subscription: null }
    | { kind: 'active'; subscription: Subscription }
    /**
     * Nothing live: nobody signed in, no answer, or a subscription that waits for a payment or is
     * over.
     */
    | { kind: 'inactive'; subscription: Subscription | null }
  )

const NO_TERMS = { boleto: null, trialEndsAt: null, firstChargeAt: null, guaranteeUsed: false }
const ASKING: OwnSubscription = { kind: 'asking', subscription: null, ...NO_TERMS }
const NOTHING: OwnSubscription = { kind: 'inactive', subscription: null, ...NO_TERMS }

/** The subscription of the signed-in visitor. */
export function useSubscription(): OwnSubscription {
  const session = useConfirmedSession()
  const uid = useUid()
  const { data, isError } = useQuery({ ...subscriptionQuery(uid), select: ownSubscription }, queryClient)
  if (session.kind === 'none') return NOTHING
  return data ?? (isError ? NOTHING : ASKING)
}

function ownSubscription(answer: GetSubscriptionResponse): OwnSubscription {
  const { subscription = null, boleto = null, guaranteeUsed } = answer
  if (subscription && isLive(subscription)) return { kind: 'active', subscription, ...NO_TERMS }
  const [trialEndsAt, firstChargeAt] = [toDate(answer.trialEndsAt), toDate(answer.firstChargeAt)]
  return { kind: 'inactive', subscription, boleto, trialEndsAt, firstChargeAt, guaranteeUsed }
}
