import { expect, test } from 'vitest'
import { PlanInterval } from '../../../gen/garimpo/billing/v1/plan_pb'
import { planAndPeriod } from './use-plan-change'

test('a plan is named with its period, and alone if the period is unknown', () => {
  const planId = 'elite_nivel_1'
  expect(planAndPeriod({ planId, interval: PlanInterval.ANNUAL })).toBe('Elite Nível 1, anual')
  expect(planAndPeriod({ planId, interval: PlanInterval.UNSPECIFIED })).toBe('Elite Nível 1')
})
