/** Types of boleto libraries that have none, as far as they are used here. */
declare module 'boleto-brasileiro-validator' {
  const validator: {
    /** Whether every check digit of a linha digitável is right. */
    boletoBancarioLinhaDigitavel(line: string, validateBlocks?: boolean): boolean
    /** Whether the check digit of a bar code's 44 digits is right. */
    boletoBancarioCodigoBarras(digits: string): boolean
  }
  export default validator
}

declare module '@mrmgomes/boleto-utils' {
  interface Read {
    sucesso: boolean
    tipoBoleto: string
    codigoBarras: string
    linhaDigitavel: string
    /** Reais. */
    valor: number
    /** By the due date factor that restarted in 2025. */
    vencimentoComNovoFator2025: Date
  }
  const boleto: {
    validarBoleto(line: string): Read
    codBarras2LinhaDigitavel(digits: string, printed: boolean): string
  }
  export default boleto
}
