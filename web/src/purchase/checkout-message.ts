import { intervalOf } from '../catalog/intervals'
import { parseStoredPlan, type SelectedPlan, type StoredPlan } from '../catalog/selected-plan'
import type { GetCheckoutSessionResponse } from '../gen/garimpo/billing/v1/billing_service_pb'
import { priceRaw } from '../lib/money'

/** The word that the checkout tab sends to the page that opened it, once it is paid. */
interface CheckoutSucceeded {
  type: 'checkout_succeeded'
  plan: string
  interval: string
  /** In reais with a decimal point, for tracking and display alone. */
  value: string
}

/** Asked by the checkout tab: does the page that opened it (still) wait for it? */
export interface CheckoutHello {
  type: 'checkout_hello'
  /** The checkout that the tab shows, once it has one. */
  sessionId: string | null
}

/** The reply of a waiting page, with its plan: browser storage may be blocked. */
export interface CheckoutWatched {
  type: 'checkout_watched'
  plan: StoredPlan | null
}

/** A message between the two pages, as it is read. */
type CheckoutMessage =
  | CheckoutSucceeded
  | CheckoutHello
  | (Omit<CheckoutWatched, 'plan'> & { plan: SelectedPlan | null })

/** The message, when an event of the same origin carries one; else null. */
export function readCheckoutMessage(
  event: { origin: string; data: unknown },
  ownOrigin: string,
): CheckoutMessage | null {
  if (event.origin !== ownOrigin || typeof event.data !== 'object' || event.data === null) return null
  const { type, plan, interval, value, sessionId } = event.data as Record<string, unknown>
  switch (type) {
    case 'checkout_succeeded':
      return { type, plan: String(plan ?? ''), interval: String(interval ?? ''), value: String(value ?? '') }
    case 'checkout_hello':
      return { type, sessionId: typeof sessionId === 'string' ? sessionId : null }
    case 'checkout_watched':
      return { type, plan: parseStoredPlan(plan) }
    default:
      return null
  }
}

/** The purchase, as the server returns it, because a resumed checkout has no stored plan. */
export function succeeded({
  planId,
  interval,
  amountTotalCentavos,
}: Pick<GetCheckoutSessionResponse, 'planId' | 'interval' | 'amountTotalCentavos'>): CheckoutSucceeded {
  return {
    type: 'checkout_succeeded',
    plan: planId,
    interval: intervalOf(interval)?.stored ?? '',
    value: priceRaw(amountTotalCentavos),
  }
}
