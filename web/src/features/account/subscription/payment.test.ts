import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { BoletoSchema, SubscriptionSchema } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { PlanInterval } from '../../../gen/garimpo/billing/v1/plan_pb'
import type { Outcome } from '../../../lib/checkout-outcome'
import { type LastCheckout, paymentOf, sameAgain } from './payment'
import type { Held, Standing } from './standing'

const none: Standing = { kind: 'none' }
const bought = { planId: 'elite_nivel_2', interval: PlanInterval.SEMIANNUAL, amountCentavos: 87_160n }
const last = (outcome: Outcome): LastCheckout => ({ ...bought, outcome })
const boleto = create(BoletoSchema, { line: '1', amountCentavos: 87_160n })
const holds = (held: Partial<Held>, paymentMethod = 'boleto'): Standing => ({
  kind: 'subscription',
  held: {
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
    ...held,
  },
})
const kindOf = (standing: Standing, outcome?: Outcome, slip = null as typeof boleto | null) =>
  paymentOf({ standing, boleto: slip, lapsed: null, last: outcome ? last(outcome) : null }).kind

test('um boleto que espera vem antes de tudo, o da renovação também', () => {
  expect(paymentOf({ standing: holds({}), boleto, lapsed: null, last: null })).toEqual({
    kind: 'boleto',
    boleto,
    pays: 'purchase',
  })
  const renewal = holds({ active: true, status: 'active' })
  expect(paymentOf({ standing: renewal, boleto, lapsed: null, last: null })).toMatchObject({
    pays: 'renewal',
  })
})

test('o boleto de quem está suspenso, ou quase, sabe disso', () => {
  const pays = (active: boolean, status: Held['status']) =>
    paymentOf({ standing: holds({ active, status }), boleto, lapsed: null, last: null })
  expect(pays(false, 'suspended')).toMatchObject({ pays: 'suspended' })
  expect(pays(true, 'past_due')).toMatchObject({ pays: 'held' })
})

test('passado o dia, o boleto venceu e pode ser gerado de novo igual', () => {
  const payment = paymentOf({ standing: holds({}), boleto: null, lapsed: null, last: last('awaiting') })
  expect(payment).toEqual({ kind: 'overdue', purchase: bought })
  expect(sameAgain(bought)).toEqual({
    name: 'Elite Nível 2',
    price: 'R$ 871,60',
    priceRaw: '871.60',
    interval: 'semestral',
    period: '/6 meses',
    couponCode: null,
    couponId: null,
  })
})

test('um pagamento que o provedor ainda não confirmou está em conferência', () => {
  expect(kindOf(holds({}, 'card'))).toBe('confirming')
  expect(kindOf(none, 'paid')).toBe('confirming')
  expect(kindOf(none, 'awaiting')).toBe('confirming')
  expect(paymentOf({ standing: none, boleto: null, lapsed: null, last: { outcome: 'unknown' } }).kind).toBe(
    'confirming',
  )
})

test('um checkout que foi deixado não é um pagamento que venceu', () => {
  expect(kindOf(none, 'expired')).toBe('none')
  expect(kindOf({ kind: 'trial', end: new Date() }, 'expired')).toBe('none')
  expect(kindOf(holds({ active: false, status: 'suspended' }), 'paid')).toBe('none')
  expect(kindOf({ kind: 'unknown' }, 'expired', boleto)).toBe('none')
  expect(kindOf(none, 'open')).toBe('none')
})

test('um boleto que ninguém pagou é dito em qualquer navegador', () => {
  const payment = paymentOf({ standing: none, boleto: null, lapsed: bought, last: null })
  expect(payment).toEqual({ kind: 'expired', purchase: bought })
})

test('um boleto que ninguém pagou é dito também onde o checkout dele acabou', () => {
  const lapsed = { ...bought, id: 'sub_1' }
  const payment = paymentOf({ standing: none, boleto: null, lapsed, last: last('expired') })
  expect(payment).toEqual({ kind: 'expired', purchase: lapsed })
})
