import { promoHero as texts } from '../../../texts/promo'
import styles from './promo-percent.module.css'
import { usePromotion } from './use-promotion'

/** What the code takes off the first month, for the ticket of the hero. */
export function PromoPercent() {
  const { promotion, pending } = usePromotion()
  return (
    <p className={styles.percent} data-pending={pending || undefined}>
      {promotion.discount > 0 ? texts.percent(promotion.discount) : texts.ticket}
    </p>
  )
}
