import type { Plan } from '../../../gen/garimpo/billing/v1/billing_service_pb'

/** What can be bought, under the headings of the cards; a plan without a card follows the one before it. */
export function plansForSale(plans: readonly Plan[]) {
  const groups: { name: string; plans: Plan[] }[] = []
  for (const plan of plans) {
    if (!plan.forSale) continue
    const last = groups.at(-1)
    if (last && (plan.group === '' || plan.group === last.name)) last.plans.push(plan)
    else groups.push({ name: plan.group, plans: [plan] })
  }
  return groups
}
