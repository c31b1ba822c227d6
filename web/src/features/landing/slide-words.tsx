import type { ReactNode } from 'react'
import styles from './slide-words.module.css'

/** A slide: what it says over its drawing. */
export function SlideWords({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className={styles.slide}>
      <div className={styles.words}>
        <p className={styles.name}>{title}</p>
        <p className={styles.text}>{text}</p>
      </div>
      {children}
    </div>
  )
}
