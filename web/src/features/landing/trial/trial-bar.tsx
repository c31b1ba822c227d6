import type { Elements } from '../../../lib/elements'
import styles from './trial-bar.module.css'
import { TrialLink } from './trial-link'

/**
 * On a phone the way into the trial stays at hand below the hero; where the children end, so does
 * it.
 */
export function TrialBar({ children }: { children: Elements }) {
  return (
    <div className={styles.part}>
      {children}
      <div className={styles.track}>
        <div className={styles.bar}>
          <TrialLink />
        </div>
      </div>
    </div>
  )
}
