import type { Plan, Subscription } from '../../../gen/garimpo/billing/v1/billing_service_pb'

/** A plan for sale at the interval of the present one. */
export type CheaperPlan = Pick<Plan, 'id' | 'name'> & Pick<Subscription, 'priceCentavos'>

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
