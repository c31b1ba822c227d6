import { solutionSlides } from '../../../texts/solution-slides'
import { Checks } from '../checks'
import styles from './promoter-art.module.css'

const texts = solutionSlides.promoter

/** A link pasted in one bubble, the finished post in the next, on its way to three groups. */
export function PromoterArt() {
  return (
    <div className={styles.art} aria-hidden="true">
      <div className="stack">
        <p className={styles.name}>{texts.group}</p>
        <p className={styles.pasted}>
          <span>{texts.pasted}</span>
          <Checks />
        </p>
        <div className={styles.post}>
          <p className={styles.product}>{texts.post}</p>
          <p className={styles.prices}>
            <s>{texts.was}</s> <b>{texts.now}</b>
          </p>
          <p className={styles.coupon}>{texts.coupon}</p>
          <p className={styles.link}>{texts.link}</p>
        </div>
      </div>
      <svg className={styles.ways} viewBox="0 0 64 180" fill="none" aria-hidden="true">
        <path d="M2 90C30 90 28 28 58 28M2 90h56M2 90c28 0 26 62 56 62" />
        <path d="m51 22 8 6-8 6M51 84l8 6-8 6M51 146l8 6-8 6" />
      </svg>
      <ul className={styles.groups}>
        {texts.groups.map((group) => (
          <li key={group}>
            <span>{group}</span>
            <Checks />
          </li>
        ))}
      </ul>
    </div>
  )
}
