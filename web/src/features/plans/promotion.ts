import type { Campaign } from '../../attribution/campaign'
import { foldCode } from '../../attribution/promo-code'
import { campaignCouponId, defaultCode, named, other } from '../../lib/catalog'
import { type CardPlan, campaignDeals, type Deal, type DealOf } from './catalog'

/** What a promo code puts on the page. */
export type Promotion = typeof other

/** The promotion that a code leads to; every code leads to one, and none to the default. */
export function promotionOf(code: string | null, campaign: Campaign | null): Promotion {
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
export function promotionDeals(promotion: Promotion): DealOf {
  const { couponId, couponCode, firstMonth } = promotion
  if (couponId === campaignCouponId) return campaignDeals('black-november')
  return ({ name, monthlyCentavos }): Deal | null => {
    const firstMonthCentavos = firstMonth[name]
    if (firstMonthCentavos === undefined || firstMonthCentavos === monthlyCentavos) return null
    return { firstMonthCentavos, couponId, couponCode }
  }
}

/**
 * What is to be said of a shown deal while the campaign runs: without a code that its coupon is the campaign's, since
 * the banner names another; with one that the campaign alone would give more. Null: nothing.
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
