import { steps as texts } from '../../../texts/steps'
import styles from './steps.module.css'

/** How it begins, in three steps. Static. */
export default function Steps() {
  return (
    <section className={styles.steps} aria-labelledby="steps-title">
      <h2 id="steps-title">{texts.title}</h2>
      <ol>
        {texts.items.map(({ verb, rest }) => (
          <li key={verb}>
            <b>{verb}</b> <span>{rest}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
