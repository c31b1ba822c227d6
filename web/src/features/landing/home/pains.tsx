import { TrialLink, TrialNote } from '../trial/trial-link'
import PainCards from './pain-cards'
import styles from './pains.module.css'

/** What garimpar by hand costs: six cards and the way out. */
export function Pains() {
  return (
    <section className={styles.pains} aria-labelledby="pains-title">
      <div className={styles.inner}>
        <div>
          <PainCards />
        </div>
        <div className={styles.action}>
          <TrialLink />
          <TrialNote />
        </div>
      </div>
    </section>
  )
}
