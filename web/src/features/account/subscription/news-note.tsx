import type { RefObject } from 'react'
import styles from '../billing.module.css'

/** The result of an action on the subscription. */
export interface News {
  title: string
  text: string
}

/**
 * The message at the top of the page, also for screen readers. It takes the focus of the closed
 * dialog.
 */
export function NewsNote({ news, ref }: { news: News | null; ref: RefObject<HTMLElement | null> }) {
  return (
    <section ref={ref} className={styles.news} role="status" tabIndex={-1}>
      {news && (
        <>
          <p className={styles.newsTitle}>{news.title}</p>
          <p>{news.text}</p>
        </>
      )}
    </section>
  )
}
