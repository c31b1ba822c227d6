import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { PlanSchema } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { PlanInterval } from '../../../gen/garimpo/billing/v1/plan_pb'
import { cheapestPlan } from './plan-differences'

const plan = (id: string, priceCentavos: bigint, forSale = true, interval = PlanInterval.MONTHLY) =>
  create(PlanSchema, { id, name: id, forSale, prices: [{ interval, priceCentavos }] })
const plans = [
  plan('free', 0n, false),
  plan('elite', 19_790n),
  plan('top', 9_790n),
  plan('year', 100n, true, PlanInterval.ANNUAL),
]
const present = (priceCentavos: bigint) => ({ interval: PlanInterval.MONTHLY, priceCentavos })

test('the cheapest plan for sale has the same period; a subscriber who has it gets no other', () => {
  expect(cheapestPlan(plans, present(24_790n))).toEqual({ id: 'top', name: 'top', priceCentavos: 9_790n })
  expect(cheapestPlan(plans, present(9_790n))).toBeNull()
  expect(cheapestPlan([], present(24_790n))).toBeNull()
})
