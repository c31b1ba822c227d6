import { paidBy, type SubscriptionStatus, statusOf } from '../../../api/subscription'
import { planName } from '../../../catalog/plan-names'
import type {
  GetSubscriptionResponse,
  Subscription,
} from '../../../gen/garimpo/billing/v1/billing_service_pb'
import type { User } from '../../../gen/garimpo/users/v1/user_service_pb'
import { dateFromUnixSeconds, toDate } from '../../../lib/dates'
import { serverNow } from '../../../lib/server-clock'
import { TRIAL_MS } from '../../../lib/timers'
import { statusLabels } from '../../../texts/account'

/** A subscription as its card shows it. */
export interface SubscriptionView {
  plan: string
  /**
   * True while paid access runs, false once it ended or is suspended, undefined before a first
   * payment.
   */
  active: boolean | undefined
  status: SubscriptionStatus | undefined
  start: Date | null
  end: Date | null
  /** Period, price and renewal, where the server answered them. */
  details: Subscription | null
}

/** Subscription, trial, neither, or unknown after failed reads. */
export type AccountStatus =
  | { kind: 'subscription'; view: SubscriptionView }
  | { kind: 'trial'; end: Date }
  | { kind: 'none' }
  | { kind: 'unknown' }

/** Reads of the account; null is a read that failed, never 'has nothing'. */
export interface Reads {
  record: User | null
  answer: GetSubscriptionResponse | null
  createdAt: Date | null
}

/**
 * The status by both reads. One of them is enough. Without both it is unknown, because a paying
 * subscriber must not read that there is no subscription.
 */
export function accountStatusOf({ record, answer, createdAt }: Reads, now: Date): AccountStatus {
  if (!record && !answer) return { kind: 'unknown' }
  const details = answer?.subscription ?? null
  // The status alone is not enough: it is 'trialing' in the trial too, which has no plan.
  if (record?.subscriptionPlan)
    return {
      kind: 'subscription',
      view: {
        plan: planName(record.subscriptionPlan),
        active: record.subscriptionActive,
        status: statusOf(record.subscriptionStatus),
        start: dateFromUnixSeconds(record.subscriptionStart),
        end: dateFromUnixSeconds(record.subscriptionEnd),
        details,
      },
    }
  if (!record && details)
    return {
      kind: 'subscription',
      view: {
        plan: details.planName || planName(details.planId),
        active: details.active,
        status: statusOf(details.status),
        start: toDate(details.startsAt),
        end: toDate(details.endsAt),
        details,
      },
    }
  const end = toDate(answer?.trialEndsAt) ?? (createdAt && new Date(createdAt.getTime() + TRIAL_MS))
  return end && end > now ? { kind: 'trial', end } : { kind: 'none' }
}

/**
 * The end of a trial that runs beside a purchase whose first payment waits; null once there was a
 * payment.
 */
export function trialBeside(
  accountStatus: AccountStatus,
  trialEnd: Date | null,
  now = serverNow(),
): Date | null {
  if (accountStatus.kind !== 'subscription' || accountStatus.view.active !== undefined) return null
  return trialEnd && trialEnd > now ? trialEnd : null
}

/** Whether the first payment ended a trial that would run now: a refund does not bring it back. */
export function hasLostTrial(createdAt: Date | null, trialEnd: Date | null, now = serverNow()): boolean {
  if (!createdAt || !trialEnd) return false
  const wholeEnd = new Date(createdAt.getTime() + TRIAL_MS)
  // Where an earlier account used the trial, it ended at the sign-up itself. A payment has whole
  // seconds.
  return trialEnd.getTime() !== createdAt.getTime() && trialEnd < wholeEnd && now < wholeEnd
}

/** Ended, with nothing of it left to pay or to change. */
export function isOver({ active, status }: SubscriptionView): boolean {
  return active === false && status === 'canceled'
}

/** Bought in the trial: until its first charge another plan is neither bought nor changed to. */
export function isFirstChargeAhead({ status }: SubscriptionView): boolean {
  return status === 'trialing'
}

/** Cancelled, and its paid time still runs. */
export function isEnding({ status, details }: SubscriptionView): boolean {
  return details?.cancelAtPeriodEnd === true && status !== 'canceled'
}

/**
 * A first charge or a renewal that was not paid: access waits for a payment, or holds a few days
 * more.
 */
export function unpaidRenewal({ active, status }: SubscriptionView): 'suspended' | 'grace' | null {
  if (status !== 'suspended' && status !== 'past_due') return null
  return active ? 'grace' : 'suspended'
}

/**
 * Whether a charge is unpaid, which comes before another purchase. A dispute suspends too, but
 * leaves nothing to pay.
 */
export function hasOpenCharge(view: SubscriptionView): boolean {
  return unpaidRenewal(view) !== null && unpaidReason(view) !== 'disputed'
}

/**
 * What counts as unpaid, and why: the bank asks the payer, a card, the first charge, a boleto, no
 * word yet, or a dispute at the payer's bank.
 */
export function unpaidReason(
  view: SubscriptionView,
): 'authentication' | 'card' | 'first' | 'boleto' | 'unknown' | 'disputed' {
  const { active, details } = view
  if (details?.suspendedReason === 'payment_disputed') return 'disputed'
  if (details?.needsAuthentication) return 'authentication'
  if (details?.suspendedReason === 'no_renewal_result') return 'unknown'
  if (active === undefined) return 'first'
  return paidBy(details)
}

/**
 * Whether what was paid is used up, and access goes on while the renewal waits: no other plan is to
 * be had before it.
 */
export function renewalWaits({ active, end, details }: SubscriptionView, now = serverNow()): boolean {
  return active === true && details?.cancelAtPeriodEnd === false && end !== null && end <= now
}

/**
 * Whether there is something to cancel: paid time, a renewal that waits for its payment, or a first
 * charge that is set.
 */
export function mayCancel({ active, status, details }: SubscriptionView): boolean {
  if (!details || details.cancelAtPeriodEnd) return false
  return active === true || status === 'past_due' || status === 'suspended' || status === 'trialing'
}

/** Whether the plan can be changed now: paid access runs, and no renewal waits for its payment. */
export function mayChangePlan(view: SubscriptionView): boolean {
  return view.active === true && view.details !== null && !renewalWaits(view)
}

/**
 * Whether another checkout has a point: not for a live subscription, an open charge, or the
 * unknown.
 */
export function mayConclude(accountStatus: AccountStatus): boolean {
  if (accountStatus.kind !== 'subscription') return accountStatus.kind !== 'unknown'
  const { view } = accountStatus
  return (
    view.active !== true &&
    view.status !== 'awaiting_payment' &&
    !isFirstChargeAhead(view) &&
    !hasOpenCharge(view)
  )
}

/** subscription_active true or false decides; before a first payment the status's own text. */
export function statusLabel(active: boolean | undefined, status: SubscriptionStatus | undefined) {
  if (active === true) return { text: statusLabels.active, tone: 'good' as const }
  if (active === false) return { text: statusLabels.inactive, tone: 'bad' as const }
  return { text: status ? statusLabels.byStatus[status] : statusLabels.processing, tone: 'waiting' as const }
}
