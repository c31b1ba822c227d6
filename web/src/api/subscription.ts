import { createConnectQueryKey, createQueryOptions } from '@connectrpc/connect-query'
import { BillingService, type Subscription } from '../gen/garimpo/billing/v1/billing_service_pb'
import { queryClient } from './query-client'
import { transport } from './transport'

const { getSubscription } = BillingService.method

/** Begins the keys of all reads of the subscription. */
export const SUBSCRIPTION_KEY = createConnectQueryKey({
  schema: getSubscription,
  transport,
  cardinality: 'finite',
})

// No page begins with the answer of an earlier one, because its offers and prices depend on it.
queryClient.setQueryDefaults(SUBSCRIPTION_KEY, { staleTime: 0, gcTime: 0 })

const options = createQueryOptions(getSubscription, {}, { transport })

/** The caller's subscription, trial and waiting boleto; without an account it is not read. */
export const subscriptionQuery = (uid: string | null) => ({ ...options, enabled: uid !== null })

/** Reads the same now. Throws an AppError. */
export const readSubscription = () => queryClient.query(options)

const STATUSES = ['awaiting_payment', 'trialing', 'active', 'past_due', 'suspended', 'canceled'] as const

export type SubscriptionStatus = (typeof STATUSES)[number]

/**
 * The status of a subscription or of a user record; undefined for none, and for one of a newer
 * server.
 */
export function statusOf(status: string | undefined): SubscriptionStatus | undefined {
  return STATUSES.find((known) => known === status)
}

/**
 * Whether the renewal of a suspended subscription is unpaid. A dispute suspends too, but leaves
 * nothing to pay.
 */
export function owesRenewal(subscription: Subscription | null | undefined): subscription is Subscription {
  return (
    statusOf(subscription?.status) === 'suspended' && subscription?.suspendedReason !== 'payment_disputed'
  )
}

/** How a subscription is paid. */
export function paidBy(subscription: Pick<Subscription, 'paymentMethod'> | null): 'card' | 'boleto' {
  return subscription?.paymentMethod === 'boleto' ? 'boleto' : 'card'
}

/** Whether it was bought in the trial, at whose end it is first charged. */
export function isFirstChargeSet(subscription: Pick<Subscription, 'status'> | undefined): boolean {
  return statusOf(subscription?.status) === 'trialing'
}

/**
 * Whether there is nothing to buy: paid access runs, or its first charge is set for the end of the
 * trial.
 */
export function isLive(subscription: Subscription | undefined): boolean {
  return subscription?.active === true || isFirstChargeSet(subscription)
}

/** Whether the caller has a live subscription. Throws an AppError. */
export async function isSubscribed(): Promise<boolean> {
  const { subscription } = await readSubscription()
  return isLive(subscription)
}
