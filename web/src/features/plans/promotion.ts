import type { Campaign } from '../../attribution/campaign'
import { campaignCouponId, defaultCode, named, other } from '../../gen/catalog.json?promotions'
import { type CardPlan, campaignDeals, type Deal, type DealOf } from './catalog'

/** What a promo code puts on the page. */
export type Promotion = typeof other

/** Where a code may stand, in this order. */
const NAMES = ['promo', 'parceiro', 'afiliado']

/**
 * The promo code of a query, null without one: 1 to 32 letters, digits, `_` or `-`, case and accents aside, as
 * `server/domain/src/promotions.rs` reads it.
 */
export function promoCodeOf(search: string): string | null {
  const query = new URLSearchParams(search)
  for (const name of NAMES) {
    const code = (query.get(name) ?? '').trim().normalize('NFC')
    if (code.length <= 32 && /^[a-z0-9_-]{1,32}$/.test(fold(code))) return code
  }
  return null
}

/** The promotion that a code leads to; every code leads to one, and none to the default. */
export function promotionOf(code: string | null, campaign: Campaign | null): Promotion {
  const folded = fold(code ?? defaultCode)
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

/** Of two deals the one with the lower first month; the first of two equal ones. */
export function betterDeals(one: DealOf, other: DealOf): DealOf {
  return (plan) => {
    const [first, second] = [one(plan), other(plan)]
    if (!first || !second) return first ?? second
    return second.firstMonthCentavos < first.firstMonthCentavos ? second : first
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

function fold(code: string): string {
  return code.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
