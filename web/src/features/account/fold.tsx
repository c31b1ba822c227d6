import { useState } from 'react'
import type { Elements } from '../../lib/elements'
import { LineIcon } from '../../ui/line-icon'
import styles from './account.module.css'

/** A part of the account that its head folds: open at first where there is room for it. */
export function Fold({
  label,
  head,
  children,
  foot,
}: {
  label: string
  /** In place of the label. */
  head?: Elements
  children: Elements
  /** What is shown folded too. */
  foot?: Elements
}) {
  // Not afterwards: a phone that is turned around folds no part that is in use.
  const [isOpen] = useState(() => matchMedia('(min-width: 768px)').matches)
  return (
    <section className={styles.part} aria-label={label}>
      <details open={isOpen}>
        <summary className={styles.head}>
          {head ?? <h2>{label}</h2>}
          <LineIcon className={styles.sign} viewBox="0 0 20 20" strokeWidth="2" d="m5 8 5 5 5-5" />
        </summary>
        <div className={styles.body}>{children}</div>
      </details>
      {foot}
    </section>
  )
}
