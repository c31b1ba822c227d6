import { intervalOf } from '../../catalog/intervals'
import type { Subscription } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { centavosOf } from '../../lib/money'

/** Purchase named by an address: planName, interval and, if any, price ('197.90'). */
interface NamedPurchase {
  /** Price of each period; null where the address names none. */
  priceCentavos: bigint | null
}

/**
 * The purchase that a query names, where all of it is true of the subscription: anybody can write
 * an address, so one wrong value makes all of it count for nothing.
 */
export function purchaseNamedIn(
  query: URLSearchParams,
  { planId, planName, interval, priceCentavos }: Subscription,
): NamedPurchase | null {
  const [plan, period, price] = ['planName', 'interval', 'price'].map((name) => query.get(name)?.trim())
  if (!plan || !period || (plan !== planId && plan !== planName)) return null
  const own = intervalOf(interval)
  if (!own || (period !== own.stored && period !== own.name.toLowerCase())) return null
  if (price === undefined) return { priceCentavos: null }
  return centavosOf(price) === priceCentavos ? { priceCentavos } : null
}
