import { painCards as pains } from '../../../texts/pain-cards'
import { TrialLink, TrialNote } from '../trial/trial-link'
import painCards from './pain-cards.module.css'
import styles from './pains.module.css'

/** The pains of searching by hand: six cards, then the trial. */
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

/** The six pains, each beside a loose tag as those that fall into the sieve. */
function PainCards() {
  return (
    <>
      <div className={painCards.head}>
        <h2 id="pains-title">{pains.title}</h2>
        <p className="lead">{pains.lead}</p>
      </div>
      <ul className={painCards.items}>
        {Object.entries(pains.items).map(([title, text], index) => (
          <li className={painCards.item} key={title}>
            <Stone mark={MARKS[index]} />
            <h3 className={painCards.title}>{title}</h3>
            <p className={painCards.text}>{text}</p>
          </li>
        ))}
      </ul>
    </>
  )
}

/**
 * Drawings on the tags: a clock, a price that rises, a broken link, a pause, two phones, a closed
 * eye.
 */
const MARKS = [
  'M37 14a7 7 0 1 1-14 0 7 7 0 0 1 14 0M30 10v4l3 2',
  'm22 19 6-6 4 4 6-8M33 9h5v5',
  'm28 10 2-2a3.200 3.200 0 0 1 4.500 4.500l-2 2M32 18l-2 2a3.200 3.200 0 0 1-4.500-4.500l2-2M24 8l12 12',
  'M27 9v10M33 9v10',
  'M23 8h7v12h-7zM33 10h4v10h-4',
  'M22 12c4 5 12 5 16 0M25.500 15 24 18M30 16v3.500M34.500 15l1.500 3',
]

function Stone({ mark }: { mark: string | undefined }) {
  return (
    <svg className={painCards.stone} viewBox="0 0 44 28" fill="none" aria-hidden="true">
      <path
        fill="var(--stone)"
        d="M2 14 13 3.500A5 5 0 0 1 16.500 2H38a5 5 0 0 1 5 5v14a5 5 0 0 1-5 5H16.500a5 5 0 0 1-3.500-1.500z"
      />
      <circle fill="var(--papel)" cx="12" cy="14" r="2.500" />
      <path stroke="var(--tinta)" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" d={mark} />
    </svg>
  )
}
