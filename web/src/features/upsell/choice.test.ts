import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { type Interval, intervals } from '../../catalog/intervals'
import type { SelectedPlan } from '../../catalog/selected-plan'
import { periodChoice } from '../../catalog/selected-plan'
import { type UpsellOffer, UpsellOfferSchema } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { descriptionOf, monthlyChoice, restoredChoice } from './choice'

const chosen: SelectedPlan = {
  planId: 'elite_nivel_2',
  price: 'R$ 217,90',
  period: '/mês',
  priceRaw: '217.90',
  interval: 'month',
  couponCode: 'NOVO',
  couponId: 'novo10',
}
const semiannual = intervals[2] as Interval
const offerChoice = ({ planId }: SelectedPlan, offer: UpsellOffer) =>
  periodChoice(planId, semiannual, offer.priceCentavos, offer)
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

test('with a coupon the offer states only the extra amount, because its months assume the full price', () => {
  const description = 'Pague R$ 653,70 a mais agora e tenha 6 meses pelo preço de 4.'
  const whole = { ...atFullPrice, description }
  expect(descriptionOf(whole, null)).toBe(description)
  const less = { ...offer, description, extraAmountCentavos: 58_833n }
  expect(descriptionOf(less, null)).toMatch(/^Pague R\$\s588,33 a mais agora\.$/)
})

test('if the first charge is at the end of the trial, no offer asks for a payment now', () => {
  const description = 'Pague R$ 653,70 a mais agora e tenha 6 meses pelo preço de 4.'
  const whole = { ...atFullPrice, description, extraAmountCentavos: 65_370n }
  const told = descriptionOf(whole, new Date('2026-11-28T12:00:00Z'))
  expect(told).toMatch(/^Pague R\$\s653,70 a mais em 28\/11\/2026; hoje, nada\.$/)
})

test('an accepted offer stores its period and its price', () => {
  expect(offerChoice(chosen, offer)).toEqual({
    planId: 'elite_nivel_2',
    price: 'R$ 784,44',
    period: '/6 meses',
    priceRaw: '784.44',
    interval: 'semestral',
    couponCode: 'NOVO10',
    couponId: 'novo10',
  })
})

test('each period stores the coupon of its own price, not that of the card', () => {
  const special = { ...chosen, couponCode: 'BLACKNOVEMBER', couponId: 'blacknovember' }
  expect(offerChoice(special, atFullPrice).couponId).toBeNull()
  expect(offerChoice(special, offer).couponId).toBe('novo10')
  const answer = {
    planId: '',
    selectedPriceCentavos: 9_790n,
    selectedCouponCode: 'BLACKNOVEMBER',
    selectedCouponId: 'blacknovember',
  }
  expect(monthlyChoice(chosen, answer)).toMatchObject({
    couponCode: 'BLACKNOVEMBER',
    couponId: 'blacknovember',
  })
})

test('the monthly choice stores the first payment that the server calculated', () => {
  const answer = {
    planId: 'elite_nivel_2',
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

test('a checkout without a purchase restores the choice of the card, with the campaign coupon', () => {
  const deal = { ...chosen, couponCode: null, couponId: 'blacknovember' }
  const taken = offerChoice(deal, atFullPrice)
  expect(restoredChoice(taken, taken, deal)).toEqual(deal)
})

test('a choice that was cleared or made later stays as it is', () => {
  const taken = offerChoice(chosen, offer)
  expect(restoredChoice(null, taken, chosen)).toBeNull()
  expect(restoredChoice({ ...chosen, planId: 'elite_pro_1' }, taken, chosen)).toBeNull()
  expect(restoredChoice(taken, null, chosen)).toBeNull()
})
