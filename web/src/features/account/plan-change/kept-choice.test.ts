import { expect, test } from 'vitest'
import { PlanInterval } from '../../../gen/garimpo/billing/v1/plan_pb'
import { writeTab } from '../../../lib/browser-storage'
import { forgetChoice, keepChoice, keptChoice } from './use-plan-change'

test('the chosen plan change stays in the tab until it is forgotten, and malformed values are ignored', () => {
  expect(keptChoice()).toBeNull()
  keepChoice({ planId: 'elite_nivel_3', interval: PlanInterval.QUARTERLY })
  expect(keptChoice()).toEqual({ planId: 'elite_nivel_3', interval: PlanInterval.QUARTERLY })
  forgetChoice()
  expect(keptChoice()).toBeNull()
  for (const strange of ['', 'elite_nivel_3', 'elite_nivel_3 9', ' 1']) {
    writeTab('planChoice', strange)
    expect(keptChoice(), strange).toBeNull()
  }
})
