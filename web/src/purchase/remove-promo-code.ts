import { read, write } from '../lib/browser-storage'
import { serverNow } from '../lib/server-clock'
import { removeFromAccount } from './account-promotion'
import { forgetPromoCode } from './forget-promo-code'

/**
 * The visitor removes the code, also from a plan that was chosen with it, and the account does on every device.
 * The time stays: a sign-in gives no code that was kept before it.
 */
export async function removePromoCode(): Promise<void> {
  if (read('selectedPlan') || read('clearedPlan')) {
    const { takeCouponOff } = await import('./listed-choice')
    await takeCouponOff()
  }
  forgetPromoCode()
  write('promoCodeAt', serverNow().toISOString())
  if (read('uid')) void removeFromAccount()
}
