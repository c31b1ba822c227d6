import { painCards as pains } from '../../../texts/pain-cards'
import { LineIcon } from '../../../ui/line-icon'
import { TrialLink, TrialNote } from '../trial/trial-link'
import gravel from './gravel.svg'
import styles from './pains.module.css'
import stones from './stones.svg'

/** Cut into the stones: clock, price tag, broken link, silent bell, two phones, a shut eye. */
const MARKS = [
  'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2',
  'M4 12V4h8l8 8-8 8zM8.5 8.5v.01M5 21 21 5',
  'm9 15-2 2a3.5 3.5 0 0 1-5-5l3-3m10 0 2-2a3.5 3.5 0 0 1 5 5l-3 3M9 3v2.5M3.5 8.5H6M15 21v-2.5M20.5 15.5H18',
  'M6 16v-5a6 6 0 0 1 9-5.2M18 10v6h2M16 16H5M10 20h4M4 4l16 16',
  'M8 5V4a1 1 0 0 1 1-1h9a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-2M5 7h8a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1zM8.5 17.5h1',
  'M3 10c2 3.5 5 5.5 9 5.5s7-2 9-5.5M12 15.5v3.5M6 14l-2 3M18 14l2 3',
]

/** The pains of searching by hand: a field of gravel with six stones, then the trial. */
export function Pains() {
  return (
    <section className={styles.pains} aria-labelledby="pains-title">
      <div className={styles.inner}>
        <div className={styles.head}>
          <h2 id="pains-title" className="title-lg">
            {pains.title}
          </h2>
          <p className="lead">{pains.lead}</p>
        </div>
        <ul className={styles.items}>
          {Object.entries(pains.items).map(([title, text], at) => (
            <li className={styles.item} key={title}>
              <div className={styles.stone}>
                <img src={`${stones}#s${at}`} width="240" height="180" loading="lazy" alt="" />
                <LineIcon d={MARKS[at]} />
              </div>
              <div>
                <h3 className={styles.title}>{title}</h3>
                <p className={styles.text}>{text}</p>
              </div>
            </li>
          ))}
        </ul>
        <div className={styles.action}>
          <TrialLink />
          <TrialNote />
        </div>
      </div>
      <img className={styles.gravel} src={gravel} width="1440" height="130" loading="lazy" alt="" />
    </section>
  )
}
