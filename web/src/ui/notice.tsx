import type { Elements } from '../lib/elements'
import styles from './notice.module.css'

/** A page with one message: a drawing, a heading, a line, the next actions. */
export function Notice({
  art,
  title,
  text,
  mark,
  lang,
  children,
}: {
  /** For instance the empty sieve. */
  art?: Elements
  title: string
  text?: string
  /** Set large over the title, for instance '404'. */
  mark?: string
  /** The language of the title under a mark, where it is not the page's. */
  lang?: string
  children?: Elements
}) {
  const Title = mark ? 'p' : 'h1'
  return (
    <div className={styles.notice}>
      {art}
      {mark && <h1 className={styles.mark}>{mark}</h1>}
      <Title className={styles.title} lang={lang}>
        {title}
      </Title>
      {text && <p className={styles.text}>{text}</p>}
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  )
}
