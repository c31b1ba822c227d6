import { listedPrice } from '../api/listed-price'
import { campaignCouponId } from '../gen/catalog.json?campaignCoupon'
import type { PlanPrice } from '../gen/garimpo/billing/v1/billing_service_pb'
import {
  readClearedPlan,
  readSelectedPlan,
  type SelectedPlan,
  write,
  writeSelectedPlan,
} from '../lib/browser-storage'
import { priceRaw, storedPrice } from '../lib/money'
import { intervalOf } from '../texts/intervals'

/** Takes the visitor's coupon off the chosen plan, and off the one that a plans page cleared. */
export async function takeCouponOff(): Promise<void> {
  const [chosen, cleared] = await Promise.all([bare(readSelectedPlan()), bare(readClearedPlan())])
  if (chosen) writeSelectedPlan(chosen)
  if (cleared) write('clearedPlan', JSON.stringify(cleared))
}

/** The choice at the price that everybody pays; null where it has no coupon but the campaign's. */
async function bare(plan: SelectedPlan | null): Promise<SelectedPlan | null> {
  if (!plan || !(plan.couponId || plan.couponCode) || plan.couponId === campaignCouponId) return null
  const price = await listed(plan)
  // Without an answer only the coupon goes: the pages that charge ask the server again.
  if (!price) return { ...plan, couponCode: null, couponId: null }
  const centavos = price.firstMonthCentavos ?? price.priceCentavos
  return {
    ...plan,
    price: storedPrice(centavos),
    priceRaw: priceRaw(centavos),
    couponCode: null,
    couponId: price.couponId ?? null,
  }
}

/** What the server lists for everybody; null for what is not sold, and without an answer. */
async function listed({ name, interval }: SelectedPlan): Promise<PlanPrice | null> {
  const period = intervalOf(interval)
  return period && listedPrice(name, period.id)
}
