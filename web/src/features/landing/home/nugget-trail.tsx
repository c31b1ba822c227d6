import type { Elements } from '../../../lib/elements'
import styles from './nugget-trail-art.module.css'

/** A nugget that rolls down the margin beside its children, as far as the visitor has read. */
export function NuggetTrail({ children }: { children: Elements }) {
  return <div className={styles.trail}>{children}</div>
}
