import { expect, test } from 'vitest'
import { plansOnCards } from './catalog'
import { betterDeals, campaignDeals, campaignSwap, dealReason, promotionDeals, promotionOf } from './deals'
import { promoCodeOf } from './promo-code'
import { cardChoice, toStoredPlan } from './selected-plan'

const plan = (name: string) => {
  const found = plansOnCards.find((each) => each.name === name)
  if (!found) throw new Error(`no ${name} on the cards`)
  return found
}
const firstMonth = (search: string, name = 'Top Afiliado') =>
  promotionDeals(promotionOf(promoCodeOf(search), 'none'))(plan(name))?.firstMonthCentavos

// Literals: 97,90 less 10, 15, 50, 40 and 30 percent, half up to the centavo.
test.each([
  ['', 8_811],
  ['?promo=novo', 8_811],
  ['?promo=novo-usuario', 8_811],
  ['?parceiro=app', 8_811],
  ['?promo=ANIVERS%C3%81RIO', 8_321],
  ['?promo=aniversario-2026', 8_321],
  ['?promo=final', 4_895],
  ['?promo=papodeafiliado', 8_321],
  ['?promo=shopeegold', 8_811],
  ['?promo=hyeser', 8_321],
  ['?promo=BlackFriday', 5_874],
  ['?promo=comeback', 6_853],
  ['?promo=maria', 8_811],
])('the query "%s" gives the first month of the catalogue', (search, centavos) => {
  expect(firstMonth(search)).toBe(centavos)
})

test('only aniversario, final, blackfriday and comeback have a countdown', () => {
  const counted = [
    'novo',
    'aniversario',
    'final',
    'papodeafiliado',
    'shopeegold',
    'hyeser',
    'blackfriday',
    'comeback',
    'x',
  ]
  expect(counted.filter((code) => promotionOf(code, 'none').countdown)).toEqual([
    'aniversario',
    'final',
    'blackfriday',
    'comeback',
  ])
})

test('blackfriday and comeback have coupons of their own; any other coupon is the code in upper case', () => {
  expect(promotionOf('blackfriday', 'none').couponCode).toBe('BF40')
  expect(promotionOf('comeback', 'none').couponCode).toBe('COMEBACK30')
  const other = promotionOf('joão', 'none')
  expect(other).toMatchObject({
    couponCode: 'JOÃO',
    title: 'JOÃO: 10% de desconto',
    couponId: 'parceiro10',
  })
})

test("the Black November code works only in the campaign; outside it the page is that of 'novo'", () => {
  expect(promotionOf('blacknovember', 'none').couponCode).toBe('NOVO10')
  const running = promotionOf('blacknovember', 'black-november')
  expect(promotionDeals(running)(plan('Elite Nível 1'))?.firstMonthCentavos).toBe(9_790)
  expect(promotionDeals(running)(plan('Top Afiliado'))).toBeNull()
})

test('in Black November without a code, each plan has the lower of the two first months', () => {
  const dealOf = betterDeals(
    promotionDeals(promotionOf(null, 'black-november')),
    campaignDeals('black-november'),
  )
  // Ten percent, or the campaign's price where that is less.
  expect(plansOnCards.map((each) => [each.name, dealOf(each)?.firstMonthCentavos])).toEqual([
    ['Top Afiliado', 8_811],
    ['Elite Nível 1', 9_790],
    ['Elite Nível 2', 19_611],
    ['Elite Nível 3', 22_311],
    ['Elite PRO 1', 19_790],
    ['Elite PRO 2', 34_790],
    ['Elite PRO 3', 49_790],
    ['Elite PRO 4', 64_790],
    ['Elite PRO 5', 79_790],
    ['Elite PRO 6', 94_311],
  ])
  expect(dealOf(plan('Elite Nível 1'))).toMatchObject({
    firstMonthCentavos: 9_790,
    couponId: 'blacknovember',
  })
  expect(dealOf(plan('Top Afiliado'))).toMatchObject({ firstMonthCentavos: 8_811, couponId: 'novo10' })
  // Ten percent of R$ 1.047,90 is more than R$ 100.
  expect(dealOf(plan('Elite PRO 6'))).toMatchObject({ firstMonthCentavos: 94_311, couponId: 'novo10' })
})

test('in Black November a card says which lower price it shows: that of the coupon or the campaign', () => {
  const reason = (code: string | null, name: string) => {
    const promotion = promotionOf(code, 'black-november')
    const dealOf = betterDeals(promotionDeals(promotion), campaignDeals('black-november'))
    return dealReason(dealOf(plan(name)), promotion.couponId)
  }
  for (const name of ['Elite Nível 1', 'Elite PRO 1']) expect(reason(null, name), name).toBe('campaign')
  for (const name of ['Top Afiliado', 'Elite Nível 2', 'Elite PRO 6'])
    expect(reason(null, name), name).toEqual({ couponCode: 'NOVO10' })

  expect(reason('maria', 'Elite Nível 1')).toBe('campaign')
  expect(reason('maria', 'Elite PRO 6')).toEqual({ couponCode: 'MARIA' })
  // Half of R$ 197,90 is more than the campaign's R$ 97,90, and 50 percent of PRO 3 less than its.
  expect(reason('final', 'Elite Nível 1')).toBe('campaign')
  expect(reason('final', 'Elite PRO 3')).toEqual({ couponCode: 'FINAL50' })
  // The code of the campaign itself is the coupon.
  expect(reason('blacknovember', 'Elite Nível 1')).toEqual({ couponCode: 'BLACKNOVEMBER' })
  expect(reason('blacknovember', 'Top Afiliado')).toBeNull()
})

test('the campaign offers Elite Nível 1 in place of Top Afiliado, and nothing in place of another plan', () => {
  const swap = (name: string) => campaignSwap(cardChoice(plan(name), null))
  expect(swap('Top Afiliado')).toMatchObject({
    plan: { name: 'Elite Nível 1' },
    deal: { firstMonthCentavos: 9_790, couponId: 'blacknovember' },
  })
  for (const name of ['Elite Nível 1', 'Elite Nível 2', 'Elite Nível 3', 'Elite PRO 1'])
    expect(swap(name), name).toBeNull()
  expect(
    campaignSwap({ ...cardChoice(plan('Top Afiliado'), null), interval: 'anual', period: '/ano' }),
  ).toBeNull()
})

test('the choice stores the coupon, the code and the price of the first month', () => {
  const elite = plan('Elite Nível 2')
  const deal = promotionDeals(promotionOf('maria', 'none'))(elite)
  expect(toStoredPlan(cardChoice(elite, deal))).toEqual({
    name: 'Elite Nível 2',
    price: 'R$ 196,11',
    period: '/mês',
    priceRaw: '196.11',
    interval: 'month',
    couponCode: 'MARIA',
    couponId: 'parceiro10',
  })
})
