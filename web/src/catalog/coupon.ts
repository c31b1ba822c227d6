/** A coupon. Without an id, the code of a promotion that has a coupon of its own. */
export interface Coupon {
  couponCode: string | null
  couponId: string | null
}

/** Shared by every promo code without a row of its own; the code names its owner. */
export const SHARED_COUPON_ID = 'parceiro10'

/** A coupon as the services read it: 'parceiro10:MARIA' is the shared one by MARIA's code. */
export function couponRef({ couponId, couponCode }: Coupon): string {
  if (couponId === SHARED_COUPON_ID && couponCode) return `${couponId}:${couponCode}`
  return couponId ?? couponCode ?? ''
}
