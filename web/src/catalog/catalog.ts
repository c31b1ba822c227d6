/** The catalogue as the screens show it. The whole of `gen/catalog.json` is 4 KB (brotli). */
import {
  all_plans as allPlans,
  benefits as benefitsOfAll,
  campaign,
  plans as cardPlans,
  default_promo_code as defaultCode,
  other_promotion,
  promotions,
} from '../gen/catalog.json'

export { brand } from '../gen/catalog.json'
export { defaultCode }

type ListedPlan = (typeof cardPlans)[number]
type Limits = (typeof allPlans)[number]['limits']

/** The benefits of every plan. */
export const benefits: readonly string[] = benefitsOfAll.items

/** Black November, on or off. Both states of a page are built; the gateway chooses the file. */
export type Campaign = 'black-november' | 'none'

/** The coupon that Black November's prices carry. */
export const campaignCouponId = campaign.coupon_id

/** The title of Black November, and its last day in each year ('30/11'). */
export const campaignTitle = campaign.title
/** No line breaks after the sign of an amount. */
export const campaignSubtitle = campaign.subtitle.replaceAll('R$ ', 'R$\u00a0')
export const campaignButton = campaign.button_text
export const campaignLastDay = campaign.last_day

const groups = [...new Set(cardPlans.map(({ group }) => group))].map((name) => ({
  name,
  levels: cardPlans.filter(({ group }) => group === name),
}))

/**
 * The cards of the plans pages: the monthly price of each level, with and without Black November.
 */
export const cardGroups = groups.map(({ name, levels }, at) => {
  const limits = levels.map(({ id }) => limitsOf(id))
  const counts = countedResource(limits)
  return {
    name,
    counts,
    missing: missingResources(limits, groups[at + 1]?.levels ?? []),
    plans: levels.map((plan, at) => ({
      ...level(plan),
      count: counts ? (limits[at]?.[counts] ?? 0) : 0,
    })),
  }
})

/** One card: Top Afiliado, Elite or Elite PRO. */
export type CardGroup = (typeof cardGroups)[number]

/** One level of a card, with every amount computed by the server's rules. */
export type CardPlan = CardGroup['plans'][number]

/** The plans of all cards. */
export const plansOnCards: readonly CardPlan[] = cardGroups.flatMap(({ plans }) => plans)

const lowestOf = (plans: readonly CardPlan[]) =>
  Math.min(...plans.map(({ monthlyCentavos }) => monthlyCentavos))

/** The lowest price of a month, of all plans and of those that search for offers. */
export const lowestCentavos = {
  ofAll: lowestOf(plansOnCards),
  withSearch: lowestOf(plansOnCards.filter(({ id }) => limitsOf(id).ai_searches !== 0)),
}

/** The plan that is recommended to a visitor without a chosen plan. */
export const recommendedPlan = plansOnCards.find(({ highlight }) => highlight)

/** The plan of an id, if a card shows it. */
export function cardPlanOf(planId: string | undefined): CardPlan | null {
  return plansOnCards.find(({ id }) => id === planId) ?? null
}

/**
 * The first plan on the cards that has room for a number of groups in one network; null: no limit.
 */
export const fits = firstFits()

function firstFits() {
  const found: { upTo: number | null; id: string; name: string; group: string }[] = []
  for (const { name: group, levels } of groups)
    for (const { id, name } of levels) {
      const { whatsapp_groups, telegram_groups } = limitsOf(id)
      const room = Math.min(
        whatsapp_groups ?? Number.POSITIVE_INFINITY,
        telegram_groups ?? Number.POSITIVE_INFINITY,
      )
      const upTo = Number.isFinite(room) ? room : null
      const last = found.at(-1)
      if (!last || (last.upTo !== null && (upTo === null || upTo > last.upTo)))
        found.push({ upTo, id, name, group })
    }
  return found
}

/**
 * The plans on the cards side by side. The levels of a card that differ in one number alone are
 * one column.
 */
export const columns = groups.flatMap(({ name, levels }) => {
  const all = levels.map(({ id, name, monthly }) => ({
    name,
    price: monthly.price_centavos,
    limits: limitsOf(id),
    features: allPlans.find((plan) => plan.id === id)?.features ?? [],
  }))
  const [first, last] = [all[0], all.at(-1)]
  if (!first || !last) return []
  const counts = countedResource(all.map(({ limits }) => limits))
  const others = all.map(({ limits }) => JSON.stringify({ ...limits, [counts ?? '']: null }))
  if (counts && new Set(others).size === 1)
    return [{ ...first, name, lastPrice: last.price, lastLimits: last.limits }]
  return all.map((one) => ({ ...one, lastPrice: one.price, lastLimits: one.limits }))
})

/** The plans for sale that no card shows: a subscriber changes to them. */
export const changes = allPlans
  .filter(({ for_sale, on_cards }) => for_sale && !on_cards)
  .map(({ name, prices, limits }) => ({
    name,
    priceCentavos: prices.find(({ interval }) => interval === 'monthly')?.price_centavos ?? 0,
    numbers: limits.whatsapp_numbers ?? 0,
  }))

/** The name of every plan, by its id. */
export const names: ReadonlyMap<string, string> = new Map(allPlans.map(({ id, name }) => [id, name]))

/** Content of the promotional pages for each promo code with a row of its own. */
export const named = promotions.map((promotion) => ({
  codes: promotion.codes,
  prefix: promotion.prefix,
  ...content(promotion),
}))

/** The same for any other code. */
export const other = content(other_promotion)

/** With the first month of the cards' plans. */
function content(promotion: typeof other_promotion) {
  const firstMonths: Readonly<Record<string, number>> = promotion.first_month_centavos
  return {
    title: promotion.title,
    subtitle: promotion.subtitle,
    message: promotion.promo_message,
    discount: promotion.discount,
    couponCode: promotion.coupon_code,
    couponId: promotion.coupon_id,
    special: promotion.special_offer,
    countdown: promotion.show_countdown,
    firstMonth: firstMonths,
  }
}

function limitsOf(id: string): Limits {
  const plan = allPlans.find((each) => each.id === id)
  if (!plan) throw new Error(`no plan ${id}`)
  return plan.limits
}

/** The resource that the levels of a card count: the first limit that differs on each level. */
function countedResource(levels: readonly Limits[]) {
  return (
    (['whatsapp_numbers', 'whatsapp_groups'] as const).find(
      (resource) =>
        levels.length > 1 && new Set(levels.map((limits) => limits[resource])).size === levels.length,
    ) ?? null
  )
}

/** What no level of a card has and the first level of the next card has. */
function missingResources(limits: readonly Limits[], [next]: readonly ListedPlan[]) {
  if (!next) return []
  const more = Object.entries(limitsOf(next.id)) as [keyof Limits, number | null][]
  return more
    .filter(([resource, limit]) => limit !== 0 && limits.every((each) => each[resource] === 0))
    .map(([resource]) => resource)
}

function level({ main_feature, button_text, monthly, black_november: deal, ...plan }: ListedPlan) {
  return {
    ...plan,
    mainFeature: main_feature,
    buttonText: button_text,
    monthlyCentavos: monthly.price_centavos,
    originalCentavos: monthly.original_centavos,
    blackNovember: deal && {
      firstMonthCentavos: deal.first_month_centavos,
      couponId: deal.coupon_id,
      couponCode: deal.coupon_code,
    },
  }
}
