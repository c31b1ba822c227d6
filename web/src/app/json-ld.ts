import { cards } from '../gen/catalog.json?cards'
import { priceRaw } from '../lib/money'
import { type Path, paths } from '../lib/paths'
import { brand } from '../texts/brand'
import { descriptions } from '../texts/descriptions'
import { homeFaq } from '../texts/home-faq'
import { plansFaq } from '../texts/plans-faq'
import { shareImage } from '../texts/share'
import { absolute } from './origin'
import type { Route } from './routes'

type Thing = { '@type': string; [property: string]: unknown }

const FAQS: Partial<Record<Path, readonly { question: string; answer: string }[]>> = {
  [paths.home]: homeFaq.items,
  [paths.plans]: plansFaq.items,
  [paths.promoPlans]: homeFaq.items,
  [paths.promoLanding]: homeFaq.items,
}

/**
 * What a page says to search engines in their own words (schema.org), as the text of one data block; null for a
 * page that has nothing to say. Offers are the regular monthly prices: a first month's discount is no price to quote.
 */
export function jsonLd(route: Route): string | null {
  const faq = FAQS[route.path]
  const things: Thing[] = [
    ...(route.path === paths.home || route.path === paths.about ? [organization()] : []),
    ...(route.path === paths.home || route.path === paths.plans ? [product()] : []),
    ...(faq ? [questions(faq)] : []),
    ...(route.path === paths.home || route.frame === 'bare' ? [] : [breadcrumb(route)]),
  ]
  if (route.noindex || things.length === 0) return null
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

function product(): Thing {
  return {
    '@type': 'Product',
    name: brand.name,
    description: descriptions[paths.home],
    image: absolute(shareImage.path),
    brand: { '@type': 'Brand', name: brand.name },
    offers: cards.flatMap(({ plans }) =>
      plans.map(({ name, monthlyCentavos }) => ({
        '@type': 'Offer',
        name,
        price: priceRaw(monthlyCentavos),
        priceCurrency: 'BRL',
        availability: 'https://schema.org/InStock',
        url: absolute(paths.plans),
        priceSpecification: {
          '@type': 'UnitPriceSpecification',
          price: priceRaw(monthlyCentavos),
          priceCurrency: 'BRL',
          unitCode: 'MON',
        },
      })),
    ),
  }
}

function questions(items: readonly { question: string; answer: string }[]): Thing {
  return {
    '@type': 'FAQPage',
    mainEntity: items.map(({ question, answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    })),
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
