import {
  type Campaign,
  type CardPlan,
  campaignCouponId,
  cardPlanOf,
  defaultCode,
  named,
  other,
} from './catalog'
import { intervalOf } from './intervals'
import { foldCode } from './promo-code'
import type { SelectedPlan } from './selected-plan'

/** A lower first payment. */
export type Deal = NonNullable<CardPlan['blackNovember']>

/** The first month's deal that a card shows, null when it shows its regular price. */
export type DealOf = (plan: CardPlan) => Deal | null

/** The campaign's deals, and none out of it. */
export function campaignDeals(campaign: Campaign): DealOf {
  return (plan) => (campaign === 'black-november' ? plan.blackNovember : null)
}

/** Of two deals the one with the lower first month; the first of two equal ones. */
export function betterDeals(one: DealOf, other: DealOf): DealOf {
  return (plan) => {
    const [first, second] = [one(plan), other(plan)]
    if (!first || !second) return first ?? second
    return second.firstMonthCentavos < first.firstMonthCentavos ? second : first
  }
}

/** Content of a promotional page. */
export type PromotionContent = typeof other

/** The promotion that a code leads to; every code leads to one, and none to the default. */
export function promotionOf(code: string | null, campaign: Campaign | null): PromotionContent {
  const folded = foldCode(code ?? defaultCode)
  const exact = named.find(({ codes }) => codes.includes(folded))
  const found = exact ?? named.find(({ prefix }) => prefix && folded.startsWith(prefix))
  // Its discount is the campaign's, and ends with it.
  if (found?.couponId === campaignCouponId && campaign !== 'black-november')
    return promotionOf(null, campaign)
  if (found) return found
  const upper = (code ?? '').toUpperCase()
  const fill = (text: string) => text.replaceAll('{code}', upper)
  return { ...other, title: fill(other.title), subtitle: fill(other.subtitle), couponCode: upper }
}

/** The first month of each plan under a promotion. */
export function promotionDeals(promotion: PromotionContent): DealOf {
  const { couponId, couponCode, firstMonth } = promotion
  if (couponId === campaignCouponId) return campaignDeals('black-november')
  return ({ id, monthlyCentavos }): Deal | null => {
    const firstMonthCentavos = firstMonth[id]
    if (firstMonthCentavos === undefined || firstMonthCentavos === monthlyCentavos) return null
    return { firstMonthCentavos, couponId, couponCode }
  }
}

/**
 * What is to be said of a shown deal while the campaign runs: without a code that its coupon is the
 * campaign's, since the banner names another; with one that the campaign alone would give more.
 * Null: nothing.
 */
export function campaignNote(
  { blackNovember, monthlyCentavos }: CardPlan,
  deal: Deal | null,
  coded: boolean,
): { couponCode: string } | { cheaperCentavos: number } | null {
  if (!blackNovember) return null
  const { firstMonthCentavos, couponId, couponCode } = blackNovember
  if (!coded) return deal?.couponId === couponId ? { couponCode } : null
  const shown = deal?.firstMonthCentavos ?? monthlyCentavos
  return firstMonthCentavos < shown ? { cheaperCentavos: firstMonthCentavos } : null
}

/** Whether Black November lowers the first payment of the plan. It lowers no longer period. */
export function isInCampaign({ planId, interval }: SelectedPlan): boolean {
  return intervalOf(interval)?.stored === 'monthly' && Boolean(cardPlanOf(planId)?.blackNovember)
}
