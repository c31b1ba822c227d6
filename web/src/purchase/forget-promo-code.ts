import { PROMO_PARAMETERS } from '../attribution/promo-code'
import { remove } from '../lib/browser-storage'

/** Forgets the code in this browser, also in the address, where a reload would find it again. */
export function forgetPromoCode(): void {
  remove('promoCode', 'promoCodeAt')
  const query = new URLSearchParams(location.search)
  const named = PROMO_PARAMETERS.filter((name) => query.has(name))
  if (named.length === 0) return
  for (const name of named) query.delete(name)
  const rest = query.size > 0 ? `?${query}` : ''
  history.replaceState(history.state, '', `${location.pathname}${rest}${location.hash}`)
  // The page and the app's router read the address then.
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
}
