import type { Elements } from '../lib/elements'
import { useKeptPromotion } from '../purchase/promotion'
import { KeptCoupon } from './kept-coupon'

/** The kept promotion's coupon, while it is offered. `children`: ways to use it. */
export function KeptPromotion({ text, children }: { text: string; children?: Elements }) {
  const promotion = useKeptPromotion()
  return (
    promotion && (
      <KeptCoupon code={promotion.couponCode} text={text}>
        {children}
      </KeptCoupon>
    )
  )
}
