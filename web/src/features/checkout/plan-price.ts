import { call } from '../../api/call'
import { PlanInterval } from '../../gen/garimpo/billing/v1/plan_pb'
import type { SelectedPlan } from '../../lib/browser-storage'

const INTERVALS: Record<SelectedPlan['interval'], PlanInterval> = {
  month: PlanInterval.MONTHLY,
  monthly: PlanInterval.MONTHLY,
  trimestral: PlanInterval.QUARTERLY,
  semestral: PlanInterval.SEMIANNUAL,
  anual: PlanInterval.ANNUAL,
}

/** What the stored plan costs without any coupon, as the server says now; null when it cannot be told. */
export async function priceOf(plan: SelectedPlan): Promise<bigint | null> {
  try {
    const { plans } = await call(({ billing }) => billing.listPlans({}))
    const found = plans.find(({ id, name }) => name === plan.name || id === plan.name)
    return found?.prices.find(({ interval }) => interval === INTERVALS[plan.interval])?.priceCentavos ?? null
  } catch {
    return null
  }
}
