import { queryOptions } from '@tanstack/react-query'
import type { Subscription } from '../gen/garimpo/billing/v1/billing_service_pb'
import { toDate } from '../lib/dates'
import { followServerTime } from '../lib/server-clock'
import { call } from './call'

/** The caller's subscription, trial and waiting boleto. Throws an AppError. */
export async function readSubscription() {
  const answer = await call(({ billing }) => billing.getSubscription({}))
  const now = toDate(answer.serverTime)
  if (now) followServerTime(now)
  return answer
}

/** The same of an account, shared by all who show it; without one it is not read. */
export const subscriptionQuery = (uid: string | null) =>
  queryOptions({ queryKey: ['subscription', uid], queryFn: readSubscription, enabled: uid !== null })

/** Whether there is nothing to buy: paid access runs, or its first charge is set for the end of the trial. */
export function isLive(subscription: Subscription | undefined): boolean {
  return subscription?.active === true || subscription?.status === 'trialing'
}

/** Whether the caller has a live subscription. Throws an AppError. */
export async function isSubscribed(): Promise<boolean> {
  const { subscription } = await readSubscription()
  return isLive(subscription)
}
