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
