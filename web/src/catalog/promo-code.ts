/** The parameters of an address that may have a code, in this order. */
export const PROMO_PARAMETERS = ['promo', 'parceiro', 'afiliado'] as const

/**
 * The promo code of a query, null without one: 1 to 32 letters, digits, `_` or `-`, case and
 * accents aside, as `server/domain/src/promotions.rs` reads it.
 */
export function promoCodeOf(search: string): string | null {
  const query = new URLSearchParams(search)
  for (const name of PROMO_PARAMETERS) {
    const code = (query.get(name) ?? '').trim().normalize('NFC')
    if (code.length <= 32 && /^[a-z0-9_-]{1,32}$/.test(foldCode(code))) return code
  }
  return null
}

/** A code without case and accents, for comparing. */
export function foldCode(code: string): string {
  return code.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
