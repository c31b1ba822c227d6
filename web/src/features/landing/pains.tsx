import { staticPart } from '../../lib/static-part'
import styles from './pains.module.css'
import { TrialLink, TrialNote } from './trial-link'

const Cards = staticPart(() => import('./pain-cards'))

/** What garimpar by hand costs: six cards and the way out. */
export function Pains() {
  return (
    <section className={styles.pains} aria-labelledby="pains-title">
      <div className={styles.inner}>
        <Cards />
        <div className={styles.action}>
          <TrialLink />
          <TrialNote />
        </div>
      </div>
    </section>
  )
}
