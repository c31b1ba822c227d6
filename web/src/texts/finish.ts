import type { Interval } from '../catalog/intervals'
import { noBreak } from '../lib/no-break'

/**
 * The way on with the plan that is stored, on the account and after the sign-up. `of` names what
 * the price is for.
 */
export const finish = (plan: string, price: string | null, of: string) => {
  const shown = price === null ? '' : ` por ${price}${of}`
  return `Concluir assinatura do plano ${noBreak(plan)}${shown}`
}

/**
 * Purpose of a first payment: a longer period, or a first month that costs less than the next ones.
 */
export function paymentFor(interval: Interval | null, isReduced: boolean): string {
  if (interval && interval.stored !== 'monthly') return ` (${interval.name.toLowerCase()})`
  if (isReduced) return ' no 1º mês'
  return interval ? interval.period : ''
}
