import type { SelectedPlan } from '../lib/browser-storage'

/** Shared by every promo code without a row of its own; the code tells whose it is. */
export const SHARED_COUPON_ID = 'parceiro10'

/** The coupon of a stored plan as the services read it: 'parceiro10:MARIA' is the shared one by MARIA's code. */
export function couponRef({ couponId, couponCode }: Pick<SelectedPlan, 'couponId' | 'couponCode'>): string {
  if (couponId === SHARED_COUPON_ID && couponCode) return `${couponId}:${couponCode}`
  return couponId ?? couponCode ?? ''
}
