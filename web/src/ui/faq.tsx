import type { ReactNode } from 'react'
import { Accordion } from './accordion'
import styles from './faq.module.css'

/** Questions and answers under their heading: side by side where there is room. */
export function Faq({
  name,
  title,
  items,
  children,
}: {
  name: string
  title: string
  items: readonly { question: string; answer: ReactNode }[]
  /** Under the questions. */
  children?: ReactNode
}) {
  return (
    <section className={styles.faq} aria-labelledby={`${name}-title`}>
      <h2 id={`${name}-title`}>{title}</h2>
      <div>
        <Accordion name={name} items={items} />
        {children}
      </div>
    </section>
  )
}
