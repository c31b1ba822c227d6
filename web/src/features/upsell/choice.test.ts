import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { UpsellOfferSchema } from '../../gen/garimpo/billing/v1/billing_service_pb'
import type { SelectedPlan } from '../../lib/browser-storage'
import { offerChoice } from '../../purchase/offer-choice'
import { type Interval, intervals } from '../../texts/intervals'
import { descriptionOf, monthlyChoice, restoredChoice } from './choice'

const chosen: SelectedPlan = {
  name: 'Elite Nível 2',
  price: 'R$ 217,90',
  period: '/mês',
  priceRaw: '217.90',
  interval: 'month',
  couponCode: 'NOVO',
  couponId: 'novo10',
}
const semiannual = intervals[2] as Interval
const offer = create(UpsellOfferSchema, {
  interval: 'semestral',
  planName: 'Elite Nível 2',
  priceCentavos: 78_444n,
  renewalPriceCentavos: 87_160n,
  couponCode: 'NOVO10',
  couponId: 'novo10',
})
/** As the server offers it under a coupon that is not for its period. */
const atFullPrice = { ...offer, priceCentavos: 87_160n, couponCode: '', couponId: '' }

test('com cupom a oferta diz só o que se paga a mais: a conta dos meses é do preço sem ele', () => {
  const description = 'Pague R$ 653,70 a mais agora e tenha 6 meses pelo preço de 4.'
  const whole = { ...atFullPrice, description }
  expect(descriptionOf(whole, null)).toBe(description)
  const less = { ...offer, description, extraAmountCentavos: 58_833n }
  expect(descriptionOf(less, null)).toMatch(/^Pague R\$\s588,33 a mais agora\.$/)
})

test('com a primeira cobrança no fim do teste, nenhuma oferta manda pagar agora', () => {
  const description = 'Pague R$ 653,70 a mais agora e tenha 6 meses pelo preço de 4.'
  const whole = { ...atFullPrice, description, extraAmountCentavos: 65_370n }
  const told = descriptionOf(whole, new Date('2026-11-28T12:00:00Z'))
  expect(told).toMatch(/^Pague R\$\s653,70 a mais em 28\/11\/2026; hoje, nada\.$/)
})

test('a oferta aceita guarda o seu período e o seu preço', () => {
  expect(offerChoice(chosen, offer, semiannual)).toEqual({
    name: 'Elite Nível 2',
    price: 'R$ 784,44',
    period: '/6 meses',
    priceRaw: '784.44',
    interval: 'semestral',
    couponCode: 'NOVO10',
    couponId: 'novo10',
  })
})

test('cada período guarda o cupom do seu preço, e não o do cartão', () => {
  const special = { ...chosen, couponCode: 'BLACKNOVEMBER', couponId: 'blacknovember' }
  expect(offerChoice(special, atFullPrice, semiannual).couponId).toBeNull()
  expect(offerChoice(special, offer, semiannual).couponId).toBe('novo10')
  const answer = {
    planName: '',
    selectedPriceCentavos: 9_790n,
    selectedCouponCode: 'BLACKNOVEMBER',
    selectedCouponId: 'blacknovember',
  }
  expect(monthlyChoice(chosen, answer)).toMatchObject({
    couponCode: 'BLACKNOVEMBER',
    couponId: 'blacknovember',
  })
})

test('continuar no mensal guarda o primeiro pagamento que o servidor calculou', () => {
  const answer = {
    planName: 'Elite Nível 2',
    selectedPriceCentavos: 19_611n,
    selectedCouponCode: 'NOVO10',
    selectedCouponId: 'novo10',
  }
  expect(monthlyChoice(chosen, answer)).toMatchObject({
    price: 'R$ 196,11',
    period: '/mês',
    priceRaw: '196.11',
    interval: 'monthly',
    couponId: 'novo10',
  })
})

test('um checkout sem compra devolve a escolha do cartão, com o cupom da campanha', () => {
  const deal = { ...chosen, couponCode: null, couponId: 'blacknovember' }
  const taken = offerChoice(deal, atFullPrice, semiannual)
  expect(restoredChoice(taken, taken, deal)).toEqual(deal)
})

test('o que foi limpo ou escolhido depois fica como está', () => {
  const taken = offerChoice(chosen, offer, semiannual)
  expect(restoredChoice(null, taken, chosen)).toBeNull()
  expect(restoredChoice({ ...chosen, name: 'Elite PRO 1' }, taken, chosen)).toBeNull()
  expect(restoredChoice(taken, null, chosen)).toBeNull()
})
