import { noBreak } from '../lib/no-break'

/** The way on with the plan that is stored, on the account and after the sign-up. */
export const finish = (plan: string, price: string | null, period: string | null) => {
  const shown = price === null ? '' : ` por ${price}${period === null ? '' : ` (${period})`}`
  return `Concluir assinatura do plano ${noBreak(plan)}${shown}`
}
