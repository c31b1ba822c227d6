import { expect, test } from 'vitest'
import type { Campaign } from '../catalog/catalog'
import { routeOf } from '../routes/routes'
import { jsonLd } from './json-ld'

const graphOf = (address: string, campaign: Campaign = 'none') => {
  const route = routeOf(address)
  const text = route && jsonLd(route, campaign)
  return text ? (JSON.parse(text)['@graph'] as { '@type': string; [key: string]: unknown }[]) : []
}
const typesOf = (address: string) => graphOf(address).map((thing) => thing['@type'])

test('each page has the structured data of its content', () => {
  expect(typesOf('/')).toEqual(['Organization', 'Product'])
  expect(typesOf('/planos')).toEqual(['Product', 'BreadcrumbList'])
  for (const promotional of ['/planos-promo', '/promo-landing'])
    expect(typesOf(promotional)).toEqual(['Product', 'BreadcrumbList'])
  expect(typesOf('/termos')).toEqual(['BreadcrumbList'])
  expect(typesOf('/bio')).toEqual([])
  expect(typesOf('/login')).toEqual([])
})

/** Name and price of each offer of a page, and the price after a first month. */
const offersOf = (address: string, campaign: Campaign = 'none') => {
  const product = graphOf(address, campaign).find((thing) => thing['@type'] === 'Product')
  const found = (product?.offers ?? []) as { name: string; price: string; priceSpecification: unknown }[]
  return found.map((offer) => {
    const later = Array.isArray(offer.priceSpecification)
      ? ` depois ${offer.priceSpecification[1].price}`
      : ''
    return `${offer.name} ${offer.price}${later}`
  })
}

test('the offers are the ten of the plan cards, in reais', () => {
  const ordinary = [
    'Top Afiliado 97.90',
    'Elite Nível 1 197.90',
    'Elite Nível 2 217.90',
    'Elite Nível 3 247.90',
    'Elite PRO 1 297.90',
    'Elite PRO 2 447.90',
    'Elite PRO 3 597.90',
    'Elite PRO 4 747.90',
    'Elite PRO 5 897.90',
    'Elite PRO 6 1047.90',
  ]
  expect(offersOf('/')).toEqual(ordinary)
  expect(offersOf('/planos')).toEqual(ordinary)
})

test('in Black November and on coupon pages an offer is the first month, with the later price', () => {
  const campaign = offersOf('/', 'black-november')
  expect(campaign.slice(0, 3)).toEqual([
    'Top Afiliado 97.90',
    'Elite Nível 1 97.90 depois 197.90',
    'Elite Nível 2 217.90',
  ])
  expect(campaign.slice(4, 6)).toEqual([
    'Elite PRO 1 197.90 depois 297.90',
    'Elite PRO 2 347.90 depois 447.90',
  ])
  for (const promotional of ['/planos-promo', '/promo-landing']) {
    expect(offersOf(promotional)[0]).toBe('Top Afiliado 88.11 depois 97.90')
    // Whichever of code and campaign is lower.
    expect(offersOf(promotional, 'black-november')[1]).toBe('Elite Nível 1 97.90 depois 197.90')
  }
})

test('every URL in the data is absolute, and the breadcrumbs begin at the home page', () => {
  for (const address of ['/', '/planos', '/sobre', '/termos']) {
    const route = routeOf(address)
    const text = (route && jsonLd(route, null)) ?? ''
    for (const [, url] of text.matchAll(/"(?:url|item|logo|image)":"([^"]+)"/g))
      expect(url).toMatch(/^https:/)
  }
  const trail = graphOf('/planos').find((thing) => thing['@type'] === 'BreadcrumbList')
  expect(trail?.itemListElement).toEqual([
    { '@type': 'ListItem', position: 1, name: 'Garimpo', item: 'https://garimpo.invalid/' },
    { '@type': 'ListItem', position: 2, name: 'Planos e preços', item: 'https://garimpo.invalid/planos' },
  ])
})
