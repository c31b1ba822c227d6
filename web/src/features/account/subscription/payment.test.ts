import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { BoletoSchema, SubscriptionSchema } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { PlanInterval } from '../../../gen/garimpo/billing/v1/plan_pb'
import type { Outcome } from '../../../lib/checkout-outcome'
import type { AccountStatus, SubscriptionView } from './account-status'
import { type LastCheckout, paymentOf, sameAgain } from './payment'

const none: AccountStatus = { kind: 'none' }
const bought = { planId: 'elite_nivel_2', interval: PlanInterval.SEMIANNUAL, amountCentavos: 87_160n }
const last = (outcome: Outcome): LastCheckout => ({ ...bought, outcome })
const boleto = create(BoletoSchema, { line: '1', amountCentavos: 87_160n })
const subscriptionOf = (view: Partial<SubscriptionView>, paymentMethod = 'boleto'): AccountStatus => ({
  kind: 'subscription',
  view: {
    plan: 'Elite Nível 2',
    active: undefined,
    status: 'awaiting_payment',
    start: null,
    end: null,
    details: create(SubscriptionSchema, {
      planId: bought.planId,
      interval: bought.interval,
      priceCentavos: bought.amountCentavos,
      paymentMethod,
    }),
    ...view,
  },
})
const kindOf = (accountStatus: AccountStatus, outcome?: Outcome, slip = null as typeof boleto | null) =>
  paymentOf({ accountStatus, boleto: slip, lapsed: null, last: outcome ? last(outcome) : null }).kind

test('an open boleto takes precedence, also that of a renewal', () => {
  expect(paymentOf({ accountStatus: subscriptionOf({}), boleto, lapsed: null, last: null })).toEqual({
    kind: 'boleto',
    boleto,
    pays: 'purchase',
  })
  const renewal = subscriptionOf({ active: true, status: 'active' })
  expect(paymentOf({ accountStatus: renewal, boleto, lapsed: null, last: null })).toMatchObject({
    pays: 'renewal',
  })
})

test('the open boleto of a suspended or past due subscription is marked as such', () => {
  const pays = (active: boolean, status: SubscriptionView['status']) =>
    paymentOf({ accountStatus: subscriptionOf({ active, status }), boleto, lapsed: null, last: null })
  expect(pays(false, 'suspended')).toMatchObject({ pays: 'suspended' })
  expect(pays(true, 'past_due')).toMatchObject({ pays: 'grace' })
})

test('after its due date a boleto is overdue, and the same purchase can be made again', () => {
  const payment = paymentOf({
    accountStatus: subscriptionOf({}),
    boleto: null,
    lapsed: null,
    last: last('awaiting'),
  })
  expect(payment).toEqual({ kind: 'overdue', purchase: bought })
  expect(sameAgain(bought)).toEqual({
    planId: 'elite_nivel_2',
    price: 'R$ 871,60',
    priceRaw: '871.60',
    interval: 'semestral',
    period: '/6 meses',
    couponCode: null,
    couponId: null,
  })
})

test('a payment that the provider has not confirmed yet is shown as being confirmed', () => {
  expect(kindOf(subscriptionOf({}, 'card'))).toBe('confirming')
  expect(kindOf(none, 'paid')).toBe('confirming')
  expect(kindOf(none, 'awaiting')).toBe('confirming')
  expect(
    paymentOf({ accountStatus: none, boleto: null, lapsed: null, last: { outcome: 'unknown' } }).kind,
  ).toBe('confirming')
})

test('an abandoned checkout is not an expired payment', () => {
  expect(kindOf(none, 'expired')).toBe('none')
  expect(kindOf({ kind: 'trial', end: new Date() }, 'expired')).toBe('none')
  expect(kindOf(subscriptionOf({ active: false, status: 'suspended' }), 'paid')).toBe('none')
  expect(kindOf({ kind: 'unknown' }, 'expired', boleto)).toBe('none')
  expect(kindOf(none, 'open')).toBe('none')
})

test('an unpaid boleto is shown as expired in any browser', () => {
  const payment = paymentOf({ accountStatus: none, boleto: null, lapsed: bought, last: null })
  expect(payment).toEqual({ kind: 'expired', purchase: bought })
})

test('an unpaid boleto is also shown as expired where its checkout ended', () => {
  const lapsed = { ...bought, id: 'sub_1' }
  const payment = paymentOf({ accountStatus: none, boleto: null, lapsed, last: last('expired') })
  expect(payment).toEqual({ kind: 'expired', purchase: lapsed })
})
