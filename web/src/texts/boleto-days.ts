/** On /upsell and /checkout; the questions of /planos repeat it (claims.test.ts). */
export const boletoDays =
  'No boleto, o acesso é liberado quando o banco confirma o pagamento, e os dias contam da emissão: pague logo.'
