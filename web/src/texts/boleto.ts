/** A boleto as a paper slip. */
export const boleto = {
  slip: 'Boleto',
  amount: 'Valor',
  due: 'Vencimento',
  line: 'Linha digitável',
  copy: 'Copiar código',
  barcode: 'Código de barras do boleto',
  copied: 'Código copiado',
} as const

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

/** On /upsell and /checkout; the questions of /planos repeat it (claims.test.ts). */
export const boletoDays =
  'No boleto, o acesso é liberado quando o banco confirma o pagamento, e os dias contam da emissão: pague logo.'
