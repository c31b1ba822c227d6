import type { KeptPromotion } from '../gen/garimpo/auth/v1/auth_service_pb'
import { read, write } from '../lib/browser-storage'
import { toDate } from '../lib/dates'
import { removeFromAccount } from './remove-promo-code'

/**
 * Keeps the promotion of the account's sign-up in a browser without one. Where the visitor removed one since then,
 * before the sign-in, the account removes it too.
 */
export function keepAccountPromotion(promotion: KeptPromotion | undefined): void {
  const keptAt = toDate(promotion?.keptAt)
  if (!promotion || !keptAt || read('promoCode')) return
  if (new Date(read('promoCodeAt') ?? 0) > keptAt) return void removeFromAccount()
  write('promoCode', promotion.code)
  write('promoCodeAt', keptAt.toISOString())
}
