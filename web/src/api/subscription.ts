import type { GetSubscriptionResponse } from '../gen/garimpo/billing/v1/billing_service_pb'
import { call } from './call'

let asking: Promise<GetSubscriptionResponse> | undefined

/** The caller's subscription, trial and waiting boleto; who asks meanwhile gets the same answer. Throws an AppError. */
export function askSubscription(): Promise<GetSubscriptionResponse> {
  asking ??= call(({ billing }) => billing.getSubscription({})).finally(() => {
    asking = undefined
  })
  return asking
}

/** Whether paid access runs. Throws an AppError. */
export async function isSubscribed(): Promise<boolean> {
  const { subscription } = await askSubscription()
  return subscription?.active === true
}
