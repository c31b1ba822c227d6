import { expect, test } from 'vitest'
import { type CardPlan, campaignDeals, cardGroups } from './catalog'
import { selectedPlan } from './selected-plan'

function planNamed(name: string): CardPlan {
  const plan = cardGroups.flatMap(({ plans }) => plans).find((each) => each.name === name)
  if (!plan) throw new Error(`no ${name} on the cards`)
  return plan
}

test('the cards are Top Afiliado, Elite 1 to 3 and Elite PRO 1 to 6', () => {
  expect(cardGroups.map(({ name, plans }) => [name, ...plans.map(({ tab }) => tab)])).toEqual([
    ['Top Afiliado', null],
    ['Elite', 'Nível 1', 'Nível 2', 'Nível 3'],
    ['Elite PRO', 'PRO 1', 'PRO 2', 'PRO 3', 'PRO 4', 'PRO 5', 'PRO 6'],
  ])
})

test('outside the campaign the chosen plan has the monthly price and no coupon', () => {
  const plan = planNamed('Elite Nível 2')

  expect(selectedPlan(plan, campaignDeals('none')(plan))).toEqual({
    name: 'Elite Nível 2',
    price: 'R$ 217,90',
    period: '/mês',
    priceRaw: '217.90',
    interval: 'month',
    couponCode: null,
    couponId: null,
  })
})

test('in Black November Elite Nível 1 has the price of Top Afiliado and the coupon', () => {
  const plan = planNamed('Elite Nível 1')

  expect(selectedPlan(plan, campaignDeals('black-november')(plan))).toMatchObject({
    price: 'R$ 97,90',
    priceRaw: '97.90',
    couponId: 'blacknovember',
  })
})

test('in Black November Elite PRO costs 100 reais less in the first month', () => {
  const plan = planNamed('Elite PRO 6')

  expect(selectedPlan(plan, campaignDeals('black-november')(plan))).toMatchObject({
    price: 'R$ 947,90',
    priceRaw: '947.90',
  })
})

test('in Black November Top Afiliado keeps its price', () => {
  const plan = planNamed('Top Afiliado')

  expect(selectedPlan(plan, campaignDeals('black-november')(plan))).toMatchObject({
    price: 'R$ 97,90',
    couponId: null,
  })
})
