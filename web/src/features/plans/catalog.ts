import type { Campaign } from '../../attribution/campaign'
import { benefits, cards } from '../../lib/catalog'

/** One card: Top Afiliado, Elite or Elite PRO. */
export type CardGroup = (typeof cards)[number]

/** One level of a card, with every amount computed by the server's rules. */
export type CardPlan = CardGroup['plans'][number]

/** A lower first payment. */
export type Deal = NonNullable<CardPlan['blackNovember']>

/** The three cards, in order. */
export const cardGroups: readonly CardGroup[] = cards

/** What every plan includes. */
export const planBenefits: readonly string[] = benefits

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
