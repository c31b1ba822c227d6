import type { Plan, Subscription } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import {
  bothGroups,
  featureWords,
  limitWords,
  planDifferences as texts,
  type Words,
} from '../../../texts/plan-limits'

/** Limits and features of a plan, as the server lists them. */
export type PlanRights = Pick<Plan, 'limits' | 'features'>

/** Gains and losses of another plan, one sentence each, in the order of the catalogue. */
export interface Differences {
  gains: readonly string[]
  losses: readonly string[]
}

/** Amounts by name: Infinity without a limit, 1 for an enabled feature. */
type Rights = ReadonlyMap<string, number>

/** Gains and losses of a change from one plan to another. */
export function differencesOf(present: PlanRights, wanted: PlanRights): Differences {
  const [from, to] = [rightsOf(present), rightsOf(wanted)]
  const gains: string[] = []
  const losses: string[] = []
  for (const [name, words] of limitsOf(from, to)) {
    const [before, after] = [from.get(name) ?? 0, to.get(name) ?? 0]
    if (after > before) gains.push(withToday(read(words, after), before))
    if (after < before)
      losses.push(after > 0 ? texts.only(withToday(read(words, after), before)) : without(words))
  }
  for (const [name, text] of Object.entries(featureWords)) {
    if (to.has(name) && !from.has(name)) gains.push(text)
    if (from.has(name) && !to.has(name)) losses.push(texts.without(lower(text)))
  }
  return { gains, losses }
}

function rightsOf({ limits, features }: PlanRights): Rights {
  const counted = limits.map(({ resource, amount }): [string, number] => [
    resource,
    amount.case === 'unlimited' ? Number.POSITIVE_INFINITY : Number(amount.value ?? 0),
  ])
  return new Map([
    ...counted,
    ...features.flatMap(({ name, enabled }): [string, number][] => (enabled ? [[name, 1]] : [])),
  ])
}

/** The compared limits: both kinds of groups as one if they are alike before and after. */
function limitsOf(from: Rights, to: Rights): [string, Words][] {
  const alike = (rights: Rights) => rights.get('whatsapp_groups') === rights.get('telegram_groups')
  if (!alike(from) || !alike(to)) return Object.entries(limitWords)
  return Object.entries({ ...limitWords, whatsapp_groups: bothGroups }).filter(
    ([name]) => name !== 'telegram_groups',
  )
}

function read({ one, many, unlimited }: Words, amount: number): string {
  if (amount === 1) return one
  return amount === Number.POSITIVE_INFINITY ? unlimited : many.replaceAll('{n}', String(amount))
}

function withToday(line: string, before: number): string {
  if (before === 0) return line
  return texts.today(line, before === Number.POSITIVE_INFINITY ? texts.unlimited : String(before))
}

function without({ many }: Words): string {
  return texts.without(many.replaceAll('{n} ', ''))
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/**
 * The plans for sale, under the headings of the cards; a plan without a card follows the one before
 * it. The group of the present plan comes first and the bigger ones after it, because most
 * subscribers look for a bigger plan.
 */
export function plansForSale(plans: readonly Plan[], presentId: string) {
  const groups: { name: string; plans: Plan[] }[] = []
  for (const plan of plans) {
    if (!plan.forSale) continue
    const last = groups.at(-1)
    if (last && (plan.group === '' || plan.group === last.name)) last.plans.push(plan)
    else groups.push({ name: plan.group, plans: [plan] })
  }
  const own = groups.findIndex(({ plans }) => plans.some(({ id }) => id === presentId))
  return own > 0 ? [...groups.slice(own), ...groups.slice(0, own)] : groups
}

/** The ids of a plan and of its next smaller and bigger one, in the order of the catalogue. */
export function neighboursOf(plans: readonly Plan[], id: string): readonly string[] {
  const ids = plans.filter(({ forSale }) => forSale).map((plan) => plan.id)
  const at = ids.indexOf(id)
  return at < 0 ? [] : ids.slice(Math.max(0, at - 1), at + 2)
}

/** A plan for sale at the interval of the present one. */
type CheaperPlan = Pick<Plan, 'id' | 'name'> & Pick<Subscription, 'priceCentavos'>

/**
 * The cheapest plan for sale, by the price of the present interval; null if the present one costs
 * no more.
 */
export function cheapestPlan(
  plans: readonly Plan[],
  { interval, priceCentavos: present }: Pick<Subscription, 'interval' | 'priceCentavos'>,
): CheaperPlan | null {
  let cheapest: CheaperPlan | null = null
  for (const { id, name, forSale, prices } of plans) {
    const price = prices.find((price) => price.interval === interval)?.priceCentavos
    if (forSale && price !== undefined && price < (cheapest?.priceCentavos ?? present))
      cheapest = { id, name, priceCentavos: price }
  }
  return cheapest
}
