import type { dealReason } from '../../../catalog/deals'
import { promo as texts } from '../../../texts/promo'
import styles from './promo-note.module.css'

/** Under a price, while the campaign runs: why it is lower. */
export function PromoNote({ reason }: { reason: ReturnType<typeof dealReason> }) {
  if (!reason) return null
  return (
    <p className={styles.note}>
      {reason === 'campaign' ? texts.campaign : texts.withCoupon(reason.couponCode)}
    </p>
  )
}
