import type { ReactNode } from 'react'
import styles from './accordion.module.css'

/** Questions that open one at a time: native `<details name>`, so that it works before any script (one-open.ts: where it is not known). */
export function Accordion({
  name,
  items,
}: {
  /** Shared by the questions of one accordion, unique on the page. */
  name: string
  items: readonly { question: string; answer: ReactNode }[]
}) {
  return (
    <div className={styles.accordion}>
      {items.map(({ question, answer }) => (
        <details key={question} name={name} className={styles.item}>
          <summary className={styles.question}>
            {question}
            <svg className={styles.sign} viewBox="0 0 20 20" aria-hidden="true">
              <path d="M4 10h12M10 4v12" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
            </svg>
          </summary>
          <div className={styles.answer}>{answer}</div>
        </details>
      ))}
    </div>
  )
}
