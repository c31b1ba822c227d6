/** Above the cards, for a subscriber who follows a link with a code. */
export const withheldCoupon = (code: string) =>
  `O cupom ${code} vale para uma assinatura nova. A sua continua como está.`

/** Above the cards, for an account with an open boleto or renewal. */
export const openPayment = {
  boleto: (plan: string, amount: string, due: string | null) =>
    `Você tem um boleto aberto do ${plan}, de ${amount}${due ? `, com vencimento em ${due}` : ''}.`,
  renewal: (plan: string) =>
    `A renovação do ${plan} está em aberto: pague e o seu acesso volta. Se você assinar por aqui, ela é cancelada: não pague as duas.`,
  viewRenewal: 'Ver a renovação',
} as const

/** Above the cards of a plans page: the choice that opening the page cleared. */
export const clearedChoice = {
  chosen: (plan: string) => `Você tinha escolhido o ${plan}.`,
  resume: 'Continuar com ele',
} as const
