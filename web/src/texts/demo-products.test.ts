import { expect, test } from 'vitest'
import { demo } from './hero-art'
import { night } from './night'
import { type Product, product, productIds } from './products'
import { sampleDay } from './sample-day'
import { solutionSlides } from './solution-slides'
import { solutions } from './solutions'
import { steps } from './steps'

const products = productIds.map((id) => product(id))
const demos = { demo, sampleDay, solutionSlides, solutions, steps }
/** Limits that a search asks for, and what the sieve refuses. */
const NOT_PRODUCTS = ['filters', 'chips', 'request', 'refused']
const PRICES = /R\$\s?[\d.]+(?:,\d\d)?/g
const PERCENTS = /-?\d+%/g

/** The texts of each object of a demo, with the product that it or an object around it shows. */
function* examples(
  value: unknown,
  around?: Product,
): Generator<{ of: Product | undefined; texts: string[] }> {
  if (!value || typeof value !== 'object') return
  const parts = Object.entries(value).filter(([key, part]) => {
    return !(NOT_PRODUCTS.includes(key) && (typeof part === 'string' || Array.isArray(part)))
  })
  const texts = parts.flatMap(([, part]) => (typeof part === 'string' ? [part] : []))
  const id = 'id' in value ? value.id : undefined
  const of = products.find((each) => each.id === id) ?? around
  yield { of, texts }
  for (const [, part] of parts) yield* examples(part, of)
}

const strings = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(strings)

test('each price and percent of a demo is that of a product, and of the product that it shows', () => {
  let checked = 0
  for (const { of, texts } of examples(demos)) {
    const known = of ? [of] : products
    const prices = known.flatMap(({ before, now }) => [before, now])
    for (const text of texts) {
      for (const [price] of text.matchAll(PRICES)) {
        expect(prices, text).toContain(price)
        checked += 1
      }
      for (const [percent] of text.matchAll(PERCENTS))
        expect(
          known.map(({ off }) => off),
          text,
        ).toContain(percent)
    }
  }
  expect(checked).toBeGreaterThan(30)
})

test('no price of a demo can break after its sign, and no number before its unit', () => {
  for (const text of strings({ ...demos, night })) {
    expect(text).not.toMatch(/R\$ /)
    expect(text).not.toMatch(/\d (?:L|W|ml|min|h)\b/)
  }
})

test('the sieve refuses what is bad: a small discount, freight, no stock, an old price', () => {
  const faults = [...solutions.search.refused, ...solutionSlides.request.refused].map(({ fault }) => fault)
  for (const fault of faults) {
    const percent = /^-(\d+)%$/.exec(fault)?.[1]
    if (percent) expect(Number(percent), fault).toBeLessThan(5)
    else expect(['frete alto', 'esgotado', 'preço de ontem']).toContain(fault)
  }
})
