import { intervalOf } from '../../../catalog/intervals'
import { planName } from '../../../catalog/plan-names'
import { planChange } from '../../../texts/plan-change'
import type { PlanChoice } from './use-plan-change'

/** 'Elite Nível 1, anual'; an unknown period is left out. */
export function planAndPeriod({ planId, interval }: PlanChoice): string {
  const period = intervalOf(interval)?.name
  return period ? planChange.planAndPeriod(planName(planId), period) : planName(planId)
}
