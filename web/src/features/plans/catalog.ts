import { benefits, plans } from '../../gen/catalog.json'
import type { Campaign } from '../../lib/campaign'

/** One level of a card, with every amount computed by the server's rules (design section 6). */
export interface CardPlan {
  id: string
  name: string
  /** Text of its tab; null where the card has one level only. */
  tab: string | null
  description: string
  mainFeature: string
  highlight: boolean
  badge: string | null
  buttonText: string
  features: readonly string[]
  /** Listed price to compare with, where one is given. */
  originalCentavos: number | null
  monthlyCentavos: number
  blackNovember: Deal | null
}

/** A lower first payment. */
export interface Deal {
  firstMonthCentavos: number
  couponId: string
  couponCode: string | null
}

export type GroupName = 'Top Afiliado' | 'Elite' | 'Elite PRO'

/** One card. */
export interface CardGroup {
  name: GroupName
  plans: readonly [CardPlan, ...CardPlan[]]
}

const GROUPS: readonly GroupName[] = ['Top Afiliado', 'Elite', 'Elite PRO']

const cardPlans = plans.map((plan) => ({
  group: plan.group as GroupName,
  id: plan.id,
  name: plan.name,
  tab: plan.tab,
  description: plan.description,
  mainFeature: plan.main_feature,
  highlight: plan.highlight,
  badge: plan.badge,
  buttonText: plan.button_text,
  features: plan.features,
  originalCentavos: plan.monthly.original_centavos,
  monthlyCentavos: plan.monthly.price_centavos,
  blackNovember: plan.black_november && {
    firstMonthCentavos: plan.black_november.first_month_centavos,
    couponId: plan.black_november.coupon_id,
    couponCode: null,
  },
}))

/** The three cards, in order. */
export const cardGroups: readonly CardGroup[] = GROUPS.flatMap((name) => {
  const [first, ...others] = cardPlans.filter((plan) => plan.group === name)
  return first ? [{ name, plans: [first, ...others] as const }] : []
})

/** What every plan includes. */
export const planBenefits: readonly string[] = benefits.items

/** The first month's deal that a card shows, null when it shows its regular price. */
export function dealOf(plan: CardPlan, campaign: Campaign): Deal | null {
  return campaign === 'black-november' ? plan.blackNovember : null
}
