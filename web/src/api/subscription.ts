import type { GetSubscriptionResponse } from '../gen/garimpo/billing/v1/billing_service_pb'
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

/** Whether paid access runs. Throws an AppError. */
export async function isSubscribed(): Promise<boolean> {
  const { subscription } = await askSubscription()
  return subscription?.active === true
}
