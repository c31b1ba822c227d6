import {
  type Campaign,
  type CardPlan,
  campaignCouponId,
  cardGroups,
  cardPlanOf,
  defaultCode,
  named,
  other,
  recommendedPlan,
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

/** The price that Black November shows first: the recommended plan's. */
export const campaignOffer = recommendedPlan?.blackNovember && {
  plan: recommendedPlan,
  ...recommendedPlan.blackNovember,
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
 * Why a price is lower while the campaign runs: the coupon's code, or that the campaign's is the
 * better of the two.
 */
export function dealReason(deal: Deal | null, couponId: string): { couponCode: string } | 'campaign' | null {
  if (!deal) return null
  return deal.couponId === campaignCouponId && couponId !== campaignCouponId
    ? 'campaign'
    : { couponCode: deal.couponCode }
}

/** Whether Black November lowers the first payment of the plan. It lowers no longer period. */
export function isInCampaign({ planId, interval }: SelectedPlan): boolean {
  return intervalOf(interval)?.stored === 'monthly' && Boolean(cardPlanOf(planId)?.blackNovember)
}

/** The plan whose first month in the campaign costs as much as a month of the chosen plan. */
export function campaignSwap(chosen: SelectedPlan): { plan: CardPlan; deal: Deal } | null {
  const present = cardPlanOf(chosen.planId)
  if (intervalOf(chosen.interval)?.stored !== 'monthly' || !present || present.blackNovember) return null
  const offers = cardGroups.flatMap(({ plans }) =>
    plans.flatMap((plan) => (plan.blackNovember ? [{ plan, deal: plan.blackNovember }] : [])),
  )
  return offers.find(({ deal }) => deal.firstMonthCentavos === present.monthlyCentavos) ?? null
}
