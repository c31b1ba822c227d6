import { columns } from '../../../catalog/catalog'
import { formatCentavos } from '../../../lib/money'
import { planComparison as texts } from '../../../texts/plan-comparison'
import {
  bothGroupsExplanation,
  type Explanation,
  featureExplanations,
  limitExplanations,
} from '../../../texts/plan-limits'

type Column = (typeof columns)[number]
type Resource = keyof Column['limits']

/** One row of the comparison: a limit or feature, and how much of it each plan has; '' for none. */
interface ComparisonRow extends Explanation {
  cells: readonly string[]
}

/** The plans that are compared, in order. */
export const comparedPlans: readonly string[] = columns.map(({ name }) => name)

/**
 * Price, limits and features of the plans, in the order of the catalogue, without what none of them
 * has.
 */
export function comparisonRows(): readonly ComparisonRow[] {
  const alike = columns.every(({ limits }) => limits.whatsapp_groups === limits.telegram_groups)
  const limits = Object.entries(limitExplanations).flatMap(([key, explanation]): ComparisonRow[] => {
    if (alike && key === 'telegram_groups') return []
    if (alike && key === 'whatsapp_groups')
      return [{ ...bothGroupsExplanation, cells: columns.map((column) => bothGroups(column)) }]
    return [{ ...explanation, cells: columns.map((column) => limitOf(column, key as Resource)) }]
  })
  const features = Object.entries(featureExplanations).map(([key, explanation]) => ({
    ...explanation,
    cells: columns.map(({ features }) => (features.includes(key) ? texts.yes : '')),
  }))
  const price = { ...texts.price, cells: columns.map(priceOf) }
  return [price, ...limits, ...features].filter(({ cells }) => cells.some(Boolean))
}

function priceOf({ price, lastPrice }: Column): string {
  return range(formatCentavos(price), formatCentavos(lastPrice))
}

function limitOf({ limits, lastLimits }: Column, resource: Resource): string {
  // No number of channels is promised where the catalogue counts none.
  if (resource === 'whatsapp_channels' && limits[resource] === null) return texts.yes
  return range(amount(limits[resource]), amount(lastLimits[resource]))
}

function bothGroups({ limits: { whatsapp_groups } }: Column): string {
  return whatsapp_groups === null ? texts.unlimited : texts.both(amount(whatsapp_groups))
}

function amount(limit: number | null): string {
  if (limit === null) return texts.unlimited
  return limit === 0 ? '' : String(limit)
}

function range(from: string, to: string): string {
  return from === to ? from : texts.range(from, to)
}
