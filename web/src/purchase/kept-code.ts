import { call, logFailure } from '../api/call'
import { applyPromotion, isRemovedSince, readKeptPromotion } from '../catalog/kept-promotion'
import { PROMO_PARAMETERS } from '../catalog/promo-code'
import type { KeptPromotion } from '../gen/garimpo/auth/v1/auth_service_pb'
import { read } from '../lib/browser-storage'
import { toDate } from '../lib/dates'
import { serverNow } from '../lib/server-clock'

/**
 * Forgets the code that is not offered, also in the address, where a reload would find it again.
 */
export function forgetPromoCode(): void {
  const { code } = readKeptPromotion()
  if (code !== null) applyPromotion({ kind: 'over', code })
  removeFromAddress()
}

/**
 * The visitor removes the code, and the account does on every device. The time stays: a sign-in
 * gives no code that was kept before it.
 */
export function removePromoCode(): void {
  applyPromotion({ kind: 'removed', at: serverNow().toISOString() })
  removeFromAddress()
  if (read('uid')) void removeFromAccount()
}

/**
 * Keeps the promotion of the account's sign-up in a browser without one. If the visitor removed one
 * since then, before the sign-in, the account removes it too.
 */
export function keepAccountPromotion(promotion: KeptPromotion | undefined): void {
  const at = toDate(promotion?.keptAt)?.toISOString()
  if (!promotion || !at) return
  if (isRemovedSince(readKeptPromotion(), at)) void removeFromAccount()
  applyPromotion({ kind: 'signed-in', code: promotion.code, at })
}

function removeFromAddress(): void {
  const query = new URLSearchParams(location.search)
  const named = PROMO_PARAMETERS.filter((name) => query.has(name))
  if (named.length === 0) return
  for (const name of named) query.delete(name)
  const rest = query.size > 0 ? `?${query}` : ''
  history.replaceState(history.state, '', `${location.pathname}${rest}${location.hash}`)
  // The page and the app's router read the address then.
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
}

/** A failure is only logged: the next sign-in in this browser repeats the call. */
async function removeFromAccount(): Promise<void> {
  await call(({ billing }) => billing.removePromotion({})).catch(
    logFailure('removing the promotion from the account failed'),
  )
}
