import { expect, test } from 'vitest'
import { finishOf } from './tracking'

test('sem preço guardado o fim do checkout conta um real, e com plano conta o preço dele', () => {
  expect(finishOf(null).valueCentavos).toBe(100n)
  const plan = {
    name: 'Elite Nível 2',
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
