import { steps as texts } from '../../../texts/steps'
import { Checks } from '../checks'
import art from './step-phone-art.module.css'
import styles from './steps.module.css'

/** How it begins, in three steps, each with the screen of the same phone. */
export default function Steps() {
  return (
    <section className={styles.steps} aria-labelledby="steps-title">
      <h2 id="steps-title" className="title-lg">
        {texts.title}
      </h2>
      <ol className={styles.list}>
        {texts.items.map(({ verb, rest, screen }) => (
          <li className={styles.step} key={verb}>
            <p>
              <b className={styles.verb}>{verb}</b> <span>{rest}</span>
            </p>
            <StepPhone screen={screen} />
          </li>
        ))}
      </ol>
    </section>
  )
}

interface Screen {
  title: string
  chips?: readonly string[]
  rows: readonly string[]
  /** How many of the rows are done, from the first on. */
  done: number
}

/** The upper part of a phone. */
function StepPhone({ screen: { title, chips = [], rows, done } }: { screen: Screen }) {
  return (
    <div className={art.phone} aria-hidden="true">
      <p className={art.bar}>{title}</p>
      {chips.length > 0 && (
        <div className={art.chips}>
          {chips.map((chip) => (
            <span key={chip}>{chip}</span>
          ))}
        </div>
      )}
      <ul className={art.rows}>
        {rows.map((row, at) => (
          <li key={row}>
            <span>{row}</span>
            {at < done && <Checks />}
          </li>
        ))}
      </ul>
    </div>
  )
}
