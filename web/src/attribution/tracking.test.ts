import { expect, test } from 'vitest'
import { finishOf } from './tracking'

test('the end of a checkout counts the price of the plan, or one real if no price is stored', () => {
  expect(finishOf(null).valueCentavos).toBe(100n)
  const plan = {
    planId: 'elite_nivel_2',
    price: 'R$ 871,60',
    period: '/6 meses',
    priceRaw: '871.60',
    interval: 'semestral',
    couponCode: null,
    couponId: null,
  } as const
  expect(finishOf(plan)).toEqual({ plan: 'Elite Nível 2', interval: 'semestral', valueCentavos: 87_160n })
  expect(finishOf({ ...plan, priceRaw: 'grátis' }).valueCentavos).toBe(100n)
})
