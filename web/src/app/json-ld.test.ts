import { expect, test } from 'vitest'
import type { Campaign } from '../attribution/campaign'
import { jsonLd } from './json-ld'
import { routeOf } from './routes'

const things = (address: string, campaign: Campaign = 'none') => {
  const route = routeOf(address)
  const text = route && jsonLd(route, campaign)
  return text ? (JSON.parse(text)['@graph'] as { '@type': string; [key: string]: unknown }[]) : []
}
const types = (address: string) => things(address).map((thing) => thing['@type'])

test('cada página diz aos buscadores o que tem', () => {
  expect(types('/')).toEqual(['Organization', 'Product'])
  expect(types('/planos')).toEqual(['Product', 'BreadcrumbList'])
  for (const promotional of ['/planos-promo', '/promo-landing'])
    expect(types(promotional)).toEqual(['Product', 'BreadcrumbList'])
  expect(types('/termos')).toEqual(['BreadcrumbList'])
  expect(types('/bio')).toEqual([])
  expect(types('/login')).toEqual([])
})

/** What each offer of a page says: its price, and what comes after a first month. */
const offers = (address: string, campaign: Campaign = 'none') => {
  const product = things(address, campaign).find((thing) => thing['@type'] === 'Product')
  const found = (product?.offers ?? []) as { name: string; price: string; priceSpecification: unknown }[]
  return found.map((offer) => {
    const later = Array.isArray(offer.priceSpecification)
      ? ` depois ${offer.priceSpecification[1].price}`
      : ''
    return `${offer.name} ${offer.price}${later}`
  })
}

test('as ofertas são as dez dos cartões, em reais', () => {
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
  expect(offers('/')).toEqual(ordinary)
  expect(offers('/planos')).toEqual(ordinary)
})

test('na Black November e nas páginas de cupom a oferta é o primeiro mês do cartão, com o preço de depois', () => {
  const campaign = offers('/', 'black-november')
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
    expect(offers(promotional)[0]).toBe('Top Afiliado 88.11 depois 97.90')
    // Whichever of code and campaign is lower.
    expect(offers(promotional, 'black-november')[1]).toBe('Elite Nível 1 97.90 depois 197.90')
  }
})

test('todo endereço de dados é absoluto, e o caminho começa no início', () => {
  for (const address of ['/', '/planos', '/sobre', '/termos']) {
    const route = routeOf(address)
    const text = (route && jsonLd(route, null)) ?? ''
    for (const [, url] of text.matchAll(/"(?:url|item|logo|image)":"([^"]+)"/g))
      expect(url).toMatch(/^https:/)
  }
  const trail = things('/planos').find((thing) => thing['@type'] === 'BreadcrumbList')
  expect(trail?.itemListElement).toEqual([
    { '@type': 'ListItem', position: 1, name: 'Garimpo', item: 'https://garimpo.invalid/' },
    { '@type': 'ListItem', position: 2, name: 'Planos e preços', item: 'https://garimpo.invalid/planos' },
  ])
})
