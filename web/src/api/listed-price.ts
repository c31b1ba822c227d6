import type { PlanPrice } from '../gen/garimpo/billing/v1/billing_service_pb'
import type { PlanInterval } from '../gen/garimpo/billing/v1/plan_pb'
import { call } from './call'

/** What the server lists for an interval of a plan, null without one, and without an answer. */
export async function listedPrice(planId: string, interval: PlanInterval): Promise<PlanPrice | null> {
  try {
    const { plans } = await call(({ billing }) => billing.listPlans({}))
    const plan = plans.find(({ id }) => id === planId)
    return plan?.prices.find((price) => price.interval === interval) ?? null
  } catch {
    return null
  }
}
