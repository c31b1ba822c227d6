import { expect, test } from 'vitest'
import { all_plans, plans } from '../gen/catalog.json'

test('each period of a plan for sale has full price, price, period and billing text', () => {
  const top = all_plans.find(({ id }) => id === 'top_afiliado')
  expect(
    top?.prices.map((price) => [
      price.interval,
      price.original_centavos,
      price.price_centavos,
      price.period,
      price.subtext,
    ]),
  ).toEqual([
    ['monthly', 11_990, 9_790, '/mês', 'Cobrado a cada 30 dias'],
    ['trimestral', 29_370, 23_496, '/3 meses', 'Cobrado a cada 90 dias'],
    ['semestral', 58_740, 39_160, '/6 meses', 'Cobrado a cada 180 dias'],
    ['anual', 117_480, 58_740, '/ano', 'Cobrado a cada 365 dias'],
  ])
  for (const plan of all_plans.filter(({ for_sale }) => for_sale))
    expect(plan.prices, plan.name).toHaveLength(4)
})

test('each card has name, description, highlight, button text, main feature and feature lines', () => {
  for (const plan of plans) {
    for (const text of [plan.name, plan.description, plan.button_text, plan.main_feature])
      expect(text, plan.id).toMatch(/\S/)
    expect(plan.features.length, plan.id).toBeGreaterThan(3)
    expect(typeof plan.highlight, plan.id).toBe('boolean')
  }
  // A badge stands where a plan is highlighted.
  for (const { badge, highlight, id } of plans) expect(Boolean(badge), id).toBe(highlight)
})
