import { paidBy } from '../../../api/subscription'
import { intervalOf, MONTH } from '../../../catalog/intervals'
import { periodChoice, type SelectedPlan } from '../../../catalog/selected-plan'
import type { Boleto } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import type { PlanInterval } from '../../../gen/garimpo/billing/v1/plan_pb'
import type { Outcome } from '../../../lib/checkout-outcome'
import { type AccountStatus, unpaidRenewal } from './account-status'

/** A purchase, made or intended. */
export interface Purchase {
  /** The server's, of a purchase that ended unpaid. */
  id?: string
  planId: string
  interval: PlanInterval
  /** First payment. */
  amountCentavos: bigint
}

/**
 * The last checkout that this browser opened for this account; 'unknown' while the provider cannot
 * be asked.
 */
export type LastCheckout = { outcome: 'unknown' } | ({ outcome: Outcome } & Purchase)

/** A payment that is neither made nor forgotten. */
export type Payment =
  | { kind: 'none' }
  | { kind: 'boleto'; boleto: Boleto; pays: 'purchase' | 'renewal' | 'grace' | 'suspended' }
  /** Begun, and the provider has not reported its result yet. */
  | { kind: 'confirming' }
  /** The boleto's day is over; one that was paid on it may still arrive. */
  | { kind: 'overdue'; purchase: Purchase }
  /** Nothing comes of it any more: the boleto was not paid. */
  | { kind: 'expired'; purchase: Purchase }

/** The open payment beside the status of the account. */
export function paymentOf({
  accountStatus,
  boleto,
  lapsed,
  last,
}: {
  accountStatus: AccountStatus
  boleto: Boleto | null
  /** A boleto that nobody paid, in whatever browser it was asked for. */
  lapsed: Purchase | null
  last: LastCheckout | null
}): Payment {
  if (accountStatus.kind === 'unknown') return { kind: 'none' }
  const view = accountStatus.kind === 'subscription' ? accountStatus.view : null
  if (boleto) {
    const pays = view?.active === undefined ? 'purchase' : (unpaidRenewal(view) ?? 'renewal')
    return { kind: 'boleto', boleto, pays }
  }
  if (view) {
    const { details, status } = view
    if (!details || status !== 'awaiting_payment') return { kind: 'none' }
    if (paidBy(details) !== 'boleto') return { kind: 'confirming' }
    const { planId, interval, priceCentavos: amountCentavos } = details
    return { kind: 'overdue', purchase: { planId, interval, amountCentavos } }
  }
  // An open or expired checkout has no payment: nothing is due, and the plan is still stored.
  if (last && last.outcome !== 'open' && last.outcome !== 'expired') return { kind: 'confirming' }
  return lapsed ? { kind: 'expired', purchase: lapsed } : { kind: 'none' }
}

/**
 * The choice that buys the same again. Its price is only shown: /upsell reads the current one.
 */
export function sameAgain({ planId, interval, amountCentavos }: Purchase): SelectedPlan {
  return periodChoice(planId, intervalOf(interval) ?? MONTH, amountCentavos, null)
}
