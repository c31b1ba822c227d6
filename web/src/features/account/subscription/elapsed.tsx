import { serverNow } from '../../../lib/server-clock'
import { DAY_MS } from '../../../lib/timers'
import styles from '../account.module.css'

/** The elapsed part of a period. Screen readers read the dates beside it instead. */
export function Elapsed({ end, days }: { end: Date; days: number }) {
  const left = (end.getTime() - serverNow().getTime()) / (days * DAY_MS)
  return (
    <div className={styles.track} aria-hidden="true">
      <div className={styles.elapsed} style={{ width: `${Math.min(100, Math.max(2, 100 - left * 100))}%` }} />
    </div>
  )
}
