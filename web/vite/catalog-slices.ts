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
  cards: ({ plans, benefits }: Catalog) => ({
    benefits: benefits.items,
    cards: [...new Set(plans.map(({ group }) => group))].map((name) => ({
      name,
      plans: plans.filter(({ group }) => group === name).map(level),
    })),
  }),

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

function level(plan: Catalog['plans'][number]) {
  const deal = plan.black_november
  return {
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
