import { read, write } from '../lib/browser-storage'
import { loadConfig } from '../lib/config'
import { serverNow } from '../lib/server-clock'

/** Where a code may stand, in this order. */
export const PROMO_PARAMETERS = ['promo', 'parceiro', 'afiliado'] as const

/**
 * The promo code of a query, null without one: 1 to 32 letters, digits, `_` or `-`, case and accents aside, as
 * `server/domain/src/promotions.rs` reads it.
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

/** Keeps the code of a query, if it has one, in place of an earlier code. */
export function keepPromoCodeOf(search: string): void {
  const code = promoCodeOf(search)
  if (code) keepPromoCode(code)
}

/** Keeps a code, and when that was: a later removal on another device counts. */
export function keepPromoCode(code: string): void {
  const date = () => write('promoCodeAt', serverNow().toISOString())
  write('promoCode', code)
  // By the visitor's own clock at first, because the page may be left before the settings bring the product's time.
  date()
  const dateAgain = () => {
    if (read('promoCode') === code) date()
  }
  loadConfig().then(dateAgain, dateAgain)
}
