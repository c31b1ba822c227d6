import { expect, test } from 'vitest'
import { jsonLd } from './json-ld'
import { routeOf } from './routes'

const things = (address: string) => {
  const route = routeOf(address)
  const text = route && jsonLd(route)
  return text ? (JSON.parse(text)['@graph'] as { '@type': string; [key: string]: unknown }[]) : []
}
const types = (address: string) => things(address).map((thing) => thing['@type'])

test('cada página diz aos buscadores o que tem', () => {
  expect(types('/')).toEqual(['Organization', 'Product', 'FAQPage'])
  expect(types('/planos')).toEqual(['Product', 'FAQPage', 'BreadcrumbList'])
  expect(types('/planos-promo')).toEqual(['FAQPage', 'BreadcrumbList'])
  expect(types('/termos')).toEqual(['BreadcrumbList'])
  expect(types('/bio')).toEqual([])
  expect(types('/login')).toEqual([])
})

test('as ofertas são as dez dos cartões, em reais, e as perguntas as da página', () => {
  const [, product, faq] = things('/')
  const offers = (product?.offers ?? []) as { name: string; price: string }[]
  expect(offers.map(({ name, price }) => `${name} ${price}`)).toEqual([
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
  ])
  expect(faq?.mainEntity).toHaveLength(10)
})

test('todo endereço de dados é absoluto, e o caminho começa no início', () => {
  for (const address of ['/', '/planos', '/sobre', '/termos']) {
    const route = routeOf(address)
    const text = (route && jsonLd(route)) ?? ''
    for (const [, url] of text.matchAll(/"(?:url|item|logo|image)":"([^"]+)"/g))
      expect(url).toMatch(/^https:/)
  }
  const trail = things('/planos').find((thing) => thing['@type'] === 'BreadcrumbList')
  expect(trail?.itemListElement).toEqual([
    { '@type': 'ListItem', position: 1, name: 'Garimpo', item: 'https://garimpo.invalid/' },
    { '@type': 'ListItem', position: 2, name: 'Planos e preços', item: 'https://garimpo.invalid/planos' },
  ])
})
