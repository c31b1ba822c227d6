import type { GetSubscriptionResponse, Subscription } from '../gen/garimpo/billing/v1/billing_service_pb'
import { toDate } from '../lib/dates'
import { followServerTime } from '../lib/server-clock'
import { call } from './call'

let asking: Promise<GetSubscriptionResponse> | undefined

/** The caller's subscription, trial and waiting boleto; who asks meanwhile gets the same answer. Throws an AppError. */
export function askSubscription(): Promise<GetSubscriptionResponse> {
  asking ??= ask().finally(() => {
    asking = undefined
  })
  return asking
}

async function ask(): Promise<GetSubscriptionResponse> {
  const answer = await call(({ billing }) => billing.getSubscription({}))
  const now = toDate(answer.serverTime)
  if (now) followServerTime(now)
  return answer
}

/** Whether there is nothing to buy: paid access runs, or its first charge is set for the end of the trial. */
export function isLive(subscription: Subscription | undefined): boolean {
  return subscription?.active === true || subscription?.status === 'trialing'
}

/** Whether the caller has a live subscription. Throws an AppError. */
export async function isSubscribed(): Promise<boolean> {
  const { subscription } = await askSubscription()
  return isLive(subscription)
}
