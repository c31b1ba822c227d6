import { call, logFailure } from '../api/call'
import { read, write } from '../lib/browser-storage'
import { serverNow } from '../lib/server-clock'
import { forgetPromoCode } from './forget-promo-code'

/**
 * The visitor removes the code, and the account does on every device. The time stays: a sign-in gives no code
 * that was kept before it.
 */
export function removePromoCode(): void {
  forgetPromoCode()
  write('promoCodeAt', serverNow().toISOString())
  if (read('uid')) void removeFromAccount()
}

/** A failure is only logged: the next sign-in in this browser repeats the call. */
export async function removeFromAccount(): Promise<void> {
  await call(({ billing }) => billing.removePromotion({})).catch(
    logFailure('removing the promotion from the account failed'),
  )
}
