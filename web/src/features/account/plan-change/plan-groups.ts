import type { Plan } from '../../../gen/garimpo/billing/v1/billing_service_pb'

/**
 * What can be bought, under the headings of the cards; a plan without a card follows the one before
 * it. The group of the present plan comes first and the bigger ones after it, because who looks for
 * more has no use for the smaller.
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
