import { painCards as pains } from '../../../texts/pain-cards'
import { TrialLink, TrialNote } from '../trial/trial-link'
import gravel from './gravel.svg'
import styles from './pains.module.css'
import stones from './stones.svg'

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
              <img
                className={styles.stone}
                src={`${stones}#s${at}`}
                width="240"
                height="180"
                loading="lazy"
                alt=""
              />
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
