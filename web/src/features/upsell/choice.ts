import { MONTH } from '../../catalog/intervals'
import { periodChoice, type SelectedPlan } from '../../catalog/selected-plan'
import type { ListUpsellOffersResponse, UpsellOffer } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { UPSELL_HOLD_MS } from '../../lib/timers'
import { upsell as texts } from '../../texts/upsell'

/**
 * The description of an offer. Under a coupon it has the extra amount alone, because the server's
 * text names the price without it. A later first charge has its day.
 */
export function descriptionOf(offer: UpsellOffer, firstChargeAt: Date | null): string {
  const extra = formatCentavos(offer.extraAmountCentavos)
  if (firstChargeAt) return texts.extraLater(extra, formatDate(firstChargeAt))
  if (offer.renewalPriceCentavos <= offer.priceCentavos) return offer.description
  return texts.extra(extra)
}

/**
 * What is stored for 'Continuar com o plano mensal': the first payment and its coupon as the server
 * knows them now.
 */
export function monthlyChoice(
  plan: SelectedPlan,
  answer: Pick<
    ListUpsellOffersResponse,
    'planId' | 'selectedPriceCentavos' | 'selectedCouponId' | 'selectedCouponCode'
  >,
): SelectedPlan {
  return periodChoice(answer.planId || plan.planId, MONTH, answer.selectedPriceCentavos, {
    couponCode: answer.selectedCouponCode,
    couponId: answer.selectedCouponId,
  })
}

/** Whether the stored choice is the month, and not an offer of a longer period. */
export function isMonthly({ interval }: Pick<SelectedPlan, 'interval'>): boolean {
  return interval === 'month' || interval === 'monthly'
}

/**
 * What is stored after a checkout that bought nothing: the plan as it was chosen, so that every
 * offer can be taken again. Null if the stored plan was cleared or chosen after the checkout began.
 */
export function restoredChoice(
  stored: SelectedPlan | null,
  taken: SelectedPlan | null,
  chosen: SelectedPlan | null,
): SelectedPlan | null {
  return stored && taken && JSON.stringify(stored) === JSON.stringify(taken) ? chosen : null
}

/**
 * Until when the selection and its offers are held. A stored end is kept, also when it has passed,
 * so that a reload does not buy time; one that is missing, unreadable or later than a hold can
 * end is replaced. The end of an earlier choice is removed when a plan is chosen.
 */
export function holdEnd(stored: Date | null, now: Date): Date {
  const latest = new Date(now.getTime() + UPSELL_HOLD_MS)
  return stored && stored.getTime() <= latest.getTime() + CLOCK_SLACK_MS ? stored : latest
}

/** The page that stored the end may have had a clock slightly ahead. */
const CLOCK_SLACK_MS = 5_000
