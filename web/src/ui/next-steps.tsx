import { nextSteps as texts } from '../texts/results'
import styles from './next-steps.module.css'

/** The first steps in the app. */
export function NextSteps() {
  return (
    <section className={styles.steps} aria-labelledby="next-steps">
      <h2 id="next-steps">{texts.title}</h2>
      <ol>
        {texts.items.map(({ title, text }) => (
          <li key={title}>
            <b>{title}</b>
            <p className="quiet">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}
