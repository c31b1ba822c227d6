import { openBoleto } from './open-boleto'

/** Over the cards, for who subscribes and follows a link with a code. */
export const withheldCoupon = (code: string) =>
  `O cupom ${code} vale para uma assinatura nova. A sua continua como está.`

/** Over the cards, for who has an open boleto. */
export const boletoNote = {
  open: (plan: string, amount: string, due: string | null) =>
    `Você tem um boleto aberto do ${plan}, de ${amount}${due ? `, com vencimento em ${due}` : ''}.`,
  other: openBoleto.other,
  view: openBoleto.view,
} as const

/** Over the cards of a plans page, for the choice that opening it cleared. */
export const clearedChoice = {
  chosen: (plan: string) => `Você tinha escolhido o ${plan}.`,
  resume: 'Continuar com ele',
} as const
