import { listedPrice } from '../../api/listed-price'
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
  return (await listedPrice(plan.name, INTERVALS[plan.interval]))?.priceCentavos ?? null
}
