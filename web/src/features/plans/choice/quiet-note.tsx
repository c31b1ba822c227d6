import type { Elements } from '../../../lib/elements'
import kept from '../../../ui/kept-coupon.module.css'
import styles from '../cards/promo-note.module.css'

/** A line over the cards, which looks like that of the kept coupon. */
export function QuietNote({ children }: { children: Elements }) {
  return (
    <div className={styles.kept}>
      <div className={kept.kept}>{children}</div>
    </div>
  )
}
