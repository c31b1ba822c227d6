/** A boleto that waits already, on /upsell and /checkout. */
export const openBoleto = {
  title: 'Você tem um boleto aberto',
  text: (amount: string) => `De ${amount}, ainda sem pagamento.`,
  textUntil: (amount: string, due: string) => `De ${amount}, com vencimento em ${due}, ainda sem pagamento.`,
  other: 'Se você pagar de outro jeito, ele é cancelado. Não pague os dois.',
  /** After 'Pagar de outro jeito', over the offers. */
  stillHolds: 'Ele vale até você pagar de outro jeito: escolha abaixo. Não pague os dois.',
  view: 'Ver boleto',
  otherWay: 'Pagar de outro jeito',
} as const
