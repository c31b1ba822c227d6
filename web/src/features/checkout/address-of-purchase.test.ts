import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { SubscriptionSchema } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { PlanInterval } from '../../gen/garimpo/billing/v1/plan_pb'
import { purchaseNamedIn } from './address-of-purchase'

const named = (query: string, subscription: MessageInitShape<typeof SubscriptionSchema> = {}) =>
  purchaseNamedIn(
    new URLSearchParams(query),
    create(SubscriptionSchema, {
      planId: 'elite_nivel_2',
      planName: 'Elite Nível 2',
      interval: PlanInterval.ANNUAL,
      priceCentavos: 130_740n,
      ...subscription,
    }),
  )

test('an address names the purchase by plan, period and price of the subscription', () => {
  expect(named('planName=elite_nivel_2&interval=anual&price=1307.40')).toEqual({ priceCentavos: 130_740n })
  expect(named('planName=Elite+N%C3%ADvel+2&interval=anual&price=1307.4')).toEqual({
    priceCentavos: 130_740n,
  })
  expect(named('planName=elite_nivel_2&interval=anual')).toEqual({ priceCentavos: null })
  const monthly = { interval: PlanInterval.MONTHLY }
  for (const period of ['mensal', 'monthly'])
    expect(named(`planName=elite_nivel_2&interval=${period}`, monthly)).toEqual({ priceCentavos: null })
})

test('one wrong, missing or hostile value makes the address name nothing', () => {
  for (const query of [
    '',
    'price=1307.40',
    'planName=elite_nivel_2',
    'interval=anual&price=1307.40',
    'planName=elite_pro_6&interval=anual&price=1307.40',
    'planName=toString&interval=anual',
    'planName=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E&interval=anual',
    'planName=elite_nivel_2&interval=monthly',
    'planName=elite_nivel_2&interval=4',
    'planName=elite_nivel_2&interval=%3Cb%3Eanual%3C%2Fb%3E',
    'planName=elite_nivel_2&interval=anual&price=1.00',
    'planName=elite_nivel_2&interval=anual&price=-1307.40',
    'planName=elite_nivel_2&interval=anual&price=1307.40+%3Cb%3E',
    'planName=elite_nivel_2&interval=anual&price=',
  ])
    expect(named(query), query).toBeNull()
})
