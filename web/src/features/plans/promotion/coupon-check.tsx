import { useEffect } from 'react'
import { usePromotionOffer } from '../../../purchase/promotion'
import { keptCoupon as texts } from '../../../texts/kept-coupon'
import styles from '../cards/promo-note.module.css'

/** Shows that the checkout of the signed-in visitor refuses the page's coupon. */
export default function CouponCheck({
  code,
  couponCode,
  onRefused,
}: {
  code: string
  couponCode: string
  onRefused: (isRefused: boolean) => void
}) {
  const isRefused = usePromotionOffer(code)?.kind === 'refused'
  useEffect(() => onRefused(isRefused), [isRefused, onRefused])
  return (
    isRefused && (
      <p className={styles.refused} role="status">
        {texts.refused(couponCode)}
      </p>
    )
  )
}
