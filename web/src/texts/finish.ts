import { noBreak } from '../lib/no-break'

/** The way on with the plan that is stored, on the account and after the sign-up. */
export const finish = (plan: string, price: string | null) =>
  `Concluir assinatura do plano ${noBreak(plan)}${price === null ? '' : ` por ${price}`}`
