import { classNames } from '../lib/class-names'
import { site } from '../texts/site'
import styles from './spinner.module.css'

/** The sieve, shaken. It has no text for screen readers: its place names the wait. */
export function Spinner({ size = 'md' }: { size?: 'sm' | 'md' | 'lg' }) {
  return (
    <svg className={classNames(styles.spinner, styles[size])} viewBox="0 0 32 32" aria-hidden="true">
      <g className={styles.sieve} fill="none" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round">
        <path d="M3 10h26" />
        <path d="M5 10c0 7 4.5 11 11 11s11-4 11-11" />
        <path d="M11 13.5v.1M16 13.5v.1M21 13.5v.1M13.5 17v.1M18.5 17v.1" />
      </g>
      <circle className={styles.nugget} cx="16" cy="25" r="2.6" fill="currentColor" />
    </svg>
  )
}

/** A whole page that waits; announced as a status. */
export function PageLoading({ label = site.loading }: { label?: string }) {
  return (
    <div className={styles.page} role="status">
      <Spinner size="lg" />
      <p>{label}</p>
    </div>
  )
}
