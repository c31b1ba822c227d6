import type { PlanInterval } from '../gen/garimpo/billing/v1/plan_pb'
import type { SelectedPlan } from './selected-plan'

/** A paid period, as the contract, a stored plan and the pages name it. */
export interface Interval {
  id: PlanInterval
  stored: Exclude<SelectedPlan['interval'], 'month'>
  name: string
  /** Behind a price. */
  period: SelectedPlan['period']
  /** Between two charges. */
  days: number
}

/**
 * The ids are numbers, because the enum's module would load the runtime of the protos (15 KB) on
 * each page of the site. intervals.test.ts compares them.
 */
export const intervals: readonly Interval[] = [
  { id: 1, stored: 'monthly', name: 'Mensal', period: '/mês', days: 30 },
  { id: 2, stored: 'trimestral', name: 'Trimestral', period: '/3 meses', days: 90 },
  { id: 3, stored: 'semestral', name: 'Semestral', period: '/6 meses', days: 180 },
  { id: 4, stored: 'anual', name: 'Anual', period: '/ano', days: 365 },
]

/**
 * The period of the contract's enum or of a stored plan, where a plan's card writes 'month'; null
 * for an unknown one.
 */
export function intervalOf(named: PlanInterval | string): Interval | null {
  const key = named === 'month' ? 'monthly' : named
  return intervals.find(({ id, stored }) => id === key || stored === key) ?? null
}

/** The shortest period. */
export const MONTH = intervals[0] as Interval
