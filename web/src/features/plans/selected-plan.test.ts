import { expect, test } from 'vitest'
import { type CardPlan, campaignDeals, cardGroups } from './catalog'
import { selectedPlan } from './selected-plan'

function planNamed(name: string): CardPlan {
  const plan = cardGroups.flatMap(({ plans }) => plans).find((each) => each.name === name)
  if (!plan) throw new Error(`no ${name} on the cards`)
  return plan
}

test('os cartões são Top Afiliado, Elite de 1 a 3 e Elite PRO de 1 a 6', () => {
  expect(cardGroups.map(({ name, plans }) => [name, ...plans.map(({ tab }) => tab)])).toEqual([
    ['Top Afiliado', null],
    ['Elite', 'Nível 1', 'Nível 2', 'Nível 3'],
    ['Elite PRO', 'PRO 1', 'PRO 2', 'PRO 3', 'PRO 4', 'PRO 5', 'PRO 6'],
  ])
})

test('fora da campanha o plano escolhido leva o preço mensal e nenhum cupom', () => {
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

test('na Black November o Elite Nível 1 leva o preço do Top Afiliado e o cupom', () => {
  const plan = planNamed('Elite Nível 1')

  expect(selectedPlan(plan, campaignDeals('black-november')(plan))).toMatchObject({
    price: 'R$ 97,90',
    priceRaw: '97.90',
    couponId: 'blacknovember',
  })
})

test('na Black November o Elite PRO tira 100 reais do primeiro mês', () => {
  const plan = planNamed('Elite PRO 6')

  expect(selectedPlan(plan, campaignDeals('black-november')(plan))).toMatchObject({
    price: 'R$ 947,90',
    priceRaw: '947.90',
  })
})

test('na Black November o Top Afiliado continua com o preço dele', () => {
  const plan = planNamed('Top Afiliado')

  expect(selectedPlan(plan, campaignDeals('black-november')(plan))).toMatchObject({
    price: 'R$ 97,90',
    couponId: null,
  })
})
