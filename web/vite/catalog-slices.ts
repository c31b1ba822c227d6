import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import type * as catalog from '../src/gen/catalog.json'

type Catalog = typeof catalog

/**
 * `gen/catalog.json` holds every plan, period, promotion and campaign state: 100 KB. A page imports the slice
 * that it shows, `gen/catalog.json?cards`, and carries nothing else. Types: `src/gen-slices.d.ts`.
 */
export const catalogSlices: Plugin = {
  name: 'catalog-slices',
  enforce: 'pre',
  load: {
    filter: { id: /catalog\.json\?\w+$/ },
    handler(id) {
      const [file = '', name = ''] = id.split('?')
      const slice = slices[name as keyof typeof slices]
      if (!slice) throw new Error(`gen/catalog.json has no slice '${name}'`)
      this.addWatchFile(file)
      const parts = Object.entries(slice(JSON.parse(readFileSync(file, 'utf8')) as Catalog))
      const code = parts.map(([part, value]) => `export const ${part} = ${JSON.stringify(value)}`).join('\n')
      return { code, moduleType: 'js' }
    },
  },
}

export const slices = {
  /** The company, its contacts and outside links. */
  brand: ({ brand }: Catalog) => ({ brand }),

  /** The cards of the plans pages: the monthly price of each level, with and without Black November. */
  cards: ({ plans, benefits, all_plans }: Catalog) => ({
    benefits: benefits.items,
    cards: groupsOf(plans).map(({ name, levels }) => {
      const limits = levels.map(({ id }) => limitsOf(all_plans, id))
      const counts = countedResource(limits)
      return {
        name,
        counts,
        plans: levels.map((plan, at) => ({
          ...level(plan),
          count: counts ? (limits[at]?.[counts] ?? 0) : 0,
        })),
      }
    }),
  }),

  /** For a number of groups in one network, the first plan on the cards that has room for them; null: no limit. */
  fits: ({ plans, all_plans }: Catalog) => {
    const fits: { upTo: number | null; id: string; name: string; group: string }[] = []
    for (const { name: group, levels } of groupsOf(plans))
      for (const { id, name } of levels) {
        const { whatsapp_groups, telegram_groups } = limitsOf(all_plans, id)
        const room = Math.min(
          whatsapp_groups ?? Number.POSITIVE_INFINITY,
          telegram_groups ?? Number.POSITIVE_INFINITY,
        )
        const upTo = Number.isFinite(room) ? room : null
        const last = fits.at(-1)
        if (!last || (last.upTo !== null && (upTo === null || upTo > last.upTo)))
          fits.push({ upTo, id, name, group })
      }
    return { fits }
  },

  /** The plans on the cards side by side. The levels of a card that differ in one number alone are one column. */
  comparison: ({ plans, all_plans }: Catalog) => ({
    columns: groupsOf(plans).flatMap(({ name, levels }) => {
      const all = levels.map(({ id, name, monthly }) => ({
        name,
        price: monthly.price_centavos,
        limits: limitsOf(all_plans, id),
        features: all_plans.find((plan) => plan.id === id)?.features ?? [],
      }))
      const [first, last] = [all[0], all.at(-1)]
      if (!first || !last) return []
      const counts = countedResource(all.map(({ limits }) => limits))
      const others = all.map(({ limits }) => JSON.stringify({ ...limits, [counts ?? '']: null }))
      if (counts && new Set(others).size === 1)
        return [{ ...first, name, lastPrice: last.price, lastLimits: last.limits }]
      return all.map((one) => ({ ...one, lastPrice: one.price, lastLimits: one.limits }))
    }),
  }),

  /** The plans for sale that no card shows: a subscriber changes to them. */
  changes: ({ all_plans }: Catalog) => ({
    changes: all_plans
      .filter(({ for_sale, on_cards }) => for_sale && !on_cards)
      .map(({ name, prices, limits }) => ({
        name,
        priceCentavos: prices.find(({ interval }) => interval === 'monthly')?.price_centavos ?? 0,
        numbers: limits.whatsapp_numbers ?? 0,
      })),
  }),

  /** What later months of a plan on the cards cost, by its name, and the coupon that ends with Black November. */
  months: ({ plans, campaign }: Catalog) => ({
    months: Object.fromEntries(plans.map(({ name, monthly }) => [name, monthly.price_centavos])),
    campaignCouponId: campaign.coupon_id,
  }),

  /** The names of the plans whose first month Black November lowers. It lowers no longer period. */
  campaign: ({ plans }: Catalog) => ({
    inCampaign: plans.filter((plan) => plan.black_november).map(({ name }) => name),
  }),

  /**
   * The coupon that Black November's prices carry. Alone, because a slice that two pages share
   * becomes a file of its own.
   */
  campaignCoupon: ({ campaign }: Catalog) => ({ campaignCouponId: campaign.coupon_id }),

  /** The name of every plan, also of those that no card shows: an account may hold any of them. */
  names: ({ all_plans }: Catalog) => ({
    names: Object.fromEntries(all_plans.map(({ id, name }) => [id, name])),
  }),

  /** What each promo code puts on the promotional pages, with the first month of the cards' plans. */
  promotions: ({ plans, campaign, promotions, other_promotion, default_promo_code }: Catalog) => {
    const content = (promotion: typeof other_promotion) => ({
      title: promotion.title,
      subtitle: promotion.subtitle,
      message: promotion.promo_message,
      discount: promotion.discount,
      couponCode: promotion.coupon_code,
      couponId: promotion.coupon_id,
      special: promotion.special_offer,
      countdown: promotion.show_countdown,
      firstMonth: Object.fromEntries(
        plans.map(({ id, name }) => [
          name,
          promotion.first_month_centavos[id as keyof typeof promotion.first_month_centavos],
        ]),
      ),
    })
    return {
      named: promotions.map((promotion) => ({
        codes: promotion.codes,
        prefix: promotion.prefix,
        ...content(promotion),
      })),
      other: content(other_promotion),
      defaultCode: default_promo_code,
      campaignCouponId: campaign.coupon_id,
    }
  },
}

type Limits = Catalog['all_plans'][number]['limits']

/** What a level is named after, where each has another number of it. */
const COUNTED = ['whatsapp_numbers', 'whatsapp_groups'] as const

function groupsOf(plans: Catalog['plans']) {
  return [...new Set(plans.map(({ group }) => group))].map((name) => ({
    name,
    levels: plans.filter(({ group }) => group === name),
  }))
}

function limitsOf(plans: Catalog['all_plans'], id: string): Limits {
  const plan = plans.find((each) => each.id === id)
  if (!plan) throw new Error(`no plan ${id}`)
  return plan.limits
}

/** What the levels of a card count: the first limit that is another one on each level. */
function countedResource(levels: readonly Limits[]) {
  return (
    COUNTED.find(
      (resource) =>
        levels.length > 1 && new Set(levels.map((limits) => limits[resource])).size === levels.length,
    ) ?? null
  )
}

function level(plan: Catalog['plans'][number]) {
  const deal = plan.black_november
  return {
    id: plan.id,
    name: plan.name,
    tab: plan.tab,
    description: plan.description,
    mainFeature: plan.main_feature,
    highlight: plan.highlight,
    badge: plan.badge,
    buttonText: plan.button_text,
    features: plan.features,
    monthlyCentavos: plan.monthly.price_centavos,
    originalCentavos: plan.monthly.original_centavos,
    blackNovember: deal && {
      firstMonthCentavos: deal.first_month_centavos,
      couponId: deal.coupon_id,
      couponCode: deal.coupon_code,
    },
  }
}
