import { promoHero as texts } from '../../../texts/promo'
import styles from './promo-percent.module.css'
import { usePromotion } from './use-promotion'

/** Discount of the code on the first month, for the ticket of the hero. */
export function PromoPercent() {
  const { promotion, pending } = usePromotion()
  return (
    <p className={styles.percent} data-pending={pending || undefined}>
      {promotion.discount > 0 ? texts.percent(promotion.discount) : texts.ticket}
    </p>
  )
}
