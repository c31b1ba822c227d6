import type { ReactNode } from 'react'
import { EmptySieve } from './empty-sieve'
import styles from './notice.module.css'

/** A page that is one message: the empty sieve, a heading, a line, what to do next. */
export function Notice({
  title,
  text,
  mark,
  children,
}: {
  title: string
  text?: string
  /** Set large over the title, for instance '404'. */
  mark?: string
  children?: ReactNode
}) {
  return (
    <div className={styles.notice}>
      <EmptySieve />
      {mark ? (
        <>
          <h1 className={styles.mark}>{mark}</h1>
          <p className={styles.title}>{title}</p>
        </>
      ) : (
        <h1 className={styles.title}>{title}</h1>
      )}
      {text && <p className={styles.text}>{text}</p>}
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  )
}
