import type { campaignNote } from '../../../catalog/deals'
import { formatCentavos } from '../../../lib/money'
import { paths } from '../../../lib/paths'
import { promo as texts } from '../../../texts/promo'
import { Link } from '../../../ui/link'
import styles from './promo-note.module.css'

/**
 * Under a price. Empty it keeps the line's room, so that the buttons of the three cards stand in
 * one row.
 */
export function PromoNote({ note }: { note: ReturnType<typeof campaignNote> }) {
  return (
    <p className={styles.note}>
      {note && 'couponCode' in note && <span>{texts.withCoupon(note.couponCode)}</span>}
      {note && 'cheaperCentavos' in note && (
        <Link to={paths.plans}>{texts.withoutCoupon(formatCentavos(note.cheaperCentavos))}</Link>
      )}
    </p>
  )
}
