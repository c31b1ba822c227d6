import type { UpsellOffer } from '../gen/garimpo/billing/v1/billing_service_pb'
import type { SelectedPlan } from '../lib/browser-storage'
import { priceRaw, storedPrice } from '../lib/money'
import type { Interval } from '../texts/intervals'

/** What is stored when an offer is taken: its interval and price, and the coupon of that price. */
export function offerChoice(plan: SelectedPlan, offer: UpsellOffer, interval: Interval): SelectedPlan {
  return {
    name: offer.planName || plan.name,
    price: storedPrice(offer.priceCentavos),
    period: interval.period,
    priceRaw: priceRaw(offer.priceCentavos),
    interval: interval.stored,
    couponCode: offer.couponCode || null,
    couponId: offer.couponId || null,
  }
}
