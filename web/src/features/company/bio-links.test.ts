import { expect, test } from 'vitest'
import { bioLinks, withUtm } from './bio-links'

const UTM = 'utm_source=instagram&utm_medium=bio&utm_campaign=perfil'

test('the six bio links, in order, carry utm, and that of the coupon carries promo=novo', () => {
  expect(bioLinks).toHaveLength(6)
  expect(bioLinks.slice(0, 3).map(({ url }) => url)).toEqual([
    `/?${UTM}`,
    `/planos?${UTM}`,
    `/planos-promo?promo=novo&${UTM}`,
  ])
  for (const { url } of bioLinks) expect(new URL(url, 'https://garimpo.example').search).toContain(UTM)
})

test('utm is added after an existing query and before the anchor', () => {
  expect(withUtm('https://wa.me/?text=Ol%C3%A1')).toBe(`https://wa.me/?text=Ol%C3%A1&${UTM}`)
  expect(withUtm('/a#b')).toBe(`/a?${UTM}#b`)
})
