import type { Campaign } from '../catalog/catalog'
import { type CardPlan, cardGroups } from '../catalog/catalog'
import { betterDeals, campaignDeals, type DealOf, promotionDeals, promotionOf } from '../catalog/deals'
import { priceRaw } from '../lib/money'
import { type Path, paths } from '../lib/paths'
import type { Route } from '../routes/routes'
import { brand } from '../texts/brand'
import { descriptions } from '../texts/descriptions'
import { shareImage } from '../texts/share'
import { absolute } from './origin'

type Thing = { '@type': string; [property: string]: unknown }

/** Pages whose cards show what the default code gives. */
const PROMOTIONAL: readonly Path[] = [paths.promoPlans, paths.promoLanding]
const WITH_PLANS: readonly Path[] = [paths.home, paths.plans, ...PROMOTIONAL]

/**
 * Structured data of a page for search engines (schema.org), as the text of one data block; null
 * for a page without any. Offers are those of the cards in that state of the campaign.
 */
export function jsonLd(route: Route, campaign: Campaign | null): string | null {
  const things: Thing[] = [
    ...(route.path === paths.home || route.path === paths.about ? [organization()] : []),
    ...(WITH_PLANS.includes(route.path)
      ? [product(route.path, dealsOf(route.path, campaign ?? 'none'))]
      : []),
    ...(route.path === paths.home || route.frame === 'bare' ? [] : [breadcrumb(route)]),
  ]
  if (route.area === 'app' || things.length === 0) return null
  // The block is HTML too: nothing in it may end it.
  return JSON.stringify({ '@context': 'https://schema.org', '@graph': things }).replaceAll('<', '\\u003c')
}

function organization(): Thing {
  return {
    '@type': 'Organization',
    '@id': absolute('/#empresa'),
    name: brand.name,
    legalName: brand.legal_name,
    taxID: brand.tax_id,
    address: brand.address,
    foundingDate: String(brand.founded),
    slogan: brand.tagline,
    url: absolute(paths.home),
    logo: absolute('/icon-512.png'),
    contactPoint: {
      '@type': 'ContactPoint',
      contactType: 'customer support',
      email: brand.email,
      telephone: brand.phone,
      availableLanguage: 'pt-BR',
    },
    sameAs: brand.socials.map(({ url }) => url),
  }
}

function dealsOf(path: Path, campaign: Campaign): DealOf {
  const byCampaign = campaignDeals(campaign)
  if (!PROMOTIONAL.includes(path)) return byCampaign
  return betterDeals(promotionDeals(promotionOf(null, campaign)), byCampaign)
}

function product(path: Path, dealOf: DealOf): Thing {
  return {
    '@type': 'Product',
    name: brand.name,
    description: descriptions[path],
    image: absolute(shareImage.path),
    brand: { '@type': 'Brand', name: brand.name },
    offers: cardGroups.flatMap(({ plans }) => plans.map((plan) => offer(path, plan, dealOf(plan)))),
  }
}

/**
 * The price is the first payment. If that is a reduced first month, the price of each later month
 * is given beside it.
 */
function offer(path: Path, plan: CardPlan, deal: ReturnType<DealOf>): Thing {
  const { name, monthlyCentavos } = plan
  const monthly = perMonth(monthlyCentavos)
  return {
    '@type': 'Offer',
    name,
    price: priceRaw(deal?.firstMonthCentavos ?? monthlyCentavos),
    priceCurrency: 'BRL',
    availability: 'https://schema.org/InStock',
    url: absolute(path === paths.home ? paths.plans : path),
    priceSpecification: deal
      ? [
          { ...perMonth(deal.firstMonthCentavos), billingDuration: 1 },
          { ...monthly, billingStart: 1 },
        ]
      : monthly,
  }
}

function perMonth(centavos: number): Thing {
  return {
    '@type': 'UnitPriceSpecification',
    price: priceRaw(centavos),
    priceCurrency: 'BRL',
    unitCode: 'MON',
  }
}

function breadcrumb(route: Route): Thing {
  const steps = [
    { name: brand.name, item: absolute(paths.home) },
    { name: route.title.replace(/ \| .*$/, ''), item: absolute(route.path) },
  ]
  return {
    '@type': 'BreadcrumbList',
    itemListElement: steps.map((step, at) => ({ '@type': 'ListItem', position: at + 1, ...step })),
  }
}
