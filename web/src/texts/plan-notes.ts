/** Over the cards, for who subscribes and follows a link with a code. */
export const withheldCoupon = (code: string) =>
  `O cupom ${code} vale para uma assinatura nova. A sua continua como está.`

/** Over the cards, for who has an open boleto or renewal. */
export const openPayment = {
  boleto: (plan: string, amount: string, due: string | null) =>
    `Você tem um boleto aberto do ${plan}, de ${amount}${due ? `, com vencimento em ${due}` : ''}.`,
  renewal: (plan: string) =>
    `A renovação do ${plan} está em aberto: pague e o seu acesso volta. Se você assinar por aqui, ela é cancelada: não pague as duas.`,
  viewRenewal: 'Ver a renovação',
} as const

/** Over the cards of a plans page, for the choice that opening it cleared. */
export const clearedChoice = {
  chosen: (plan: string) => `Você tinha escolhido o ${plan}.`,
  resume: 'Continuar com ele',
} as const
