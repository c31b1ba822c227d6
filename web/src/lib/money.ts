/**
 * Centavos as text. The web formats amounts and computes none: prices come computed from the
 * server's catalogue.
 */
export type Centavos = number | bigint

/** The parts that a price is set in: 'R$ 1.047' and '90'. */
interface PriceParts {
  sign: '' | '-'
  whole: string
  cents: string
}

export function priceParts(centavos: Centavos): PriceParts {
  const amount = BigInt(centavos)
  const size = amount < 0n ? -amount : amount
  return {
    sign: amount < 0n ? '-' : '',
    whole: (size / 100n).toString().replace(/\B(?=(\d{3})+$)/g, '.'),
    cents: (size % 100n).toString().padStart(2, '0'),
  }
}

/** `104790` is 'R$ 1.047,90', as it is shown: it never breaks after the sign. */
export function formatCentavos(centavos: Centavos): string {
  const { sign, whole, cents } = priceParts(centavos)
  return `${sign}R$\u00a0${whole},${cents}`
}

/** The same with an ordinary space, as selectedPlan keeps it. */
export function storedPrice(centavos: Centavos): string {
  return formatCentavos(centavos).replace('\u00a0', ' ')
}

/** `104790` is '1047.90': selectedPlan's priceRaw, a number as text with a decimal point. */
export function priceRaw(centavos: Centavos): string {
  const { sign, whole, cents } = priceParts(centavos)
  return `${sign}${whole.replaceAll('.', '')}.${cents}`
}

/** The centavos of a stored priceRaw ('1047.90'); null when it is no such number. */
export function centavosOf(raw: string): bigint | null {
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(raw)
  return match?.[1] ? BigInt(match[1]) * 100n + BigInt((match[2] ?? '').padEnd(2, '0')) : null
}
