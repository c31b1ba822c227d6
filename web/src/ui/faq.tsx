import type { ReactNode } from 'react'
import { Accordion } from './accordion'
import styles from './faq.module.css'

/** Questions and answers under their heading: side by side where there is room. */
export function Faq({
  name,
  title,
  items,
  aside,
  children,
}: {
  name: string
  title: string
  items: readonly { question: string; answer: ReactNode }[]
  /** After the questions; under the heading where there is room. */
  aside?: ReactNode
  /** Under the questions. */
  children?: ReactNode
}) {
  return (
    <section className={styles.faq} aria-labelledby={`${name}-title`}>
      <h2 id={`${name}-title`}>{title}</h2>
      <div className={styles.questions}>
        <Accordion name={name} items={items} />
        {children}
      </div>
      {aside && <div className={styles.aside}>{aside}</div>}
    </section>
  )
}
