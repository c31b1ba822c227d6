import type { ReactNode } from 'react'
import kept from '../../ui/kept-coupon.module.css'
import styles from './promo-note.module.css'

/** A line over the cards, which looks like that of the kept coupon. */
export function QuietNote({ children }: { children: ReactNode }) {
  return (
    <div className={styles.kept}>
      <div className={kept.kept}>{children}</div>
    </div>
  )
}
