import { intervalOf } from '../../../catalog/intervals'
import { readTab, writeTab } from '../../../lib/browser-storage'
import type { PlanChoice } from './use-plan-change'

/** The choice that `keepChoice` stored before the portal; null without one. */
export function keptChoice(): PlanChoice | null {
  const [planId, named] = readTab('planChoice')?.split(' ') ?? []
  const interval = intervalOf(Number(named))
  return planId && interval ? { planId, interval: interval.id } : null
}

export function forgetChoice(): void {
  writeTab('planChoice', null)
}
