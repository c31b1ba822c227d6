import { expect, test } from 'vitest'
import { PlanInterval } from '../../gen/garimpo/billing/v1/plan_pb'
import { readCheckoutMessage, succeeded } from '../../purchase/checkout-message'

test.each([
  ['monthly', PlanInterval.MONTHLY],
  ['trimestral', PlanInterval.QUARTERLY],
  ['semestral', PlanInterval.SEMIANNUAL],
  ['anual', PlanInterval.ANNUAL],
])(
  'the success message has plan, period %s and amount of the server response, and its opener reads it',
  (written, interval) => {
    const data = succeeded({ planId: 'elite_nivel_2', interval, amountTotalCentavos: 130_740n })
    expect(data).toEqual({
      type: 'checkout_succeeded',
      plan: 'elite_nivel_2',
      interval: written,
      value: '1307.40',
    })
    const origin = 'https://garimpo.example'
    expect(readCheckoutMessage({ origin, data }, origin)).toEqual(data)
  },
)
