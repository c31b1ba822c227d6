import type { Elements } from '../lib/elements'
import styles from './faq.module.css'
import { LineIcon } from './line-icon'

/**
 * Questions and answers under their heading: side by side where there is room. One is open at a
 * time: native `<details name>` works before any script (one-open.ts: where it is not known).
 */
export function Faq({
  name,
  title,
  items,
  aside,
  children,
}: {
  /** Unique on the page. */
  name: string
  title: string
  items: readonly { question: string; answer: string | Elements }[]
  /** After the questions; under the heading where there is room. */
  aside?: Elements
  /** Under the questions. */
  children?: Elements
}) {
  return (
    <section className={styles.faq} aria-labelledby={`${name}-title`}>
      <h2 id={`${name}-title`}>{title}</h2>
      <div className={styles.questions}>
        <div className={styles.list}>
          {items.map(({ question, answer }) => (
            <details key={question} name={name} className={styles.item}>
              <summary className={styles.question}>
                <span>{question}</span>
                <LineIcon className={styles.sign} viewBox="0 0 20 20" strokeWidth="2" d="M4 10h12M10 4v12" />
              </summary>
              <div className={styles.answer}>{answer}</div>
            </details>
          ))}
        </div>
        {children}
      </div>
      {aside && <div className={styles.aside}>{aside}</div>}
    </section>
  )
}
