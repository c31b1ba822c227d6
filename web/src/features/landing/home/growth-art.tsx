import { features } from '../../../texts/features'
import styles from './growth-art.module.css'

const texts = features.growth

/** A group that grows: its members, its own invite link, its clicks. */
export function GrowthArt() {
  return (
    <figure className={styles.art}>
      <figcaption className="visually-hidden">{texts.caption}</figcaption>
      <div aria-hidden="true">
        <p className={styles.group}>{texts.group}</p>
        <p className={styles.members}>
          <b>{texts.count}</b> <span>{texts.members}</span>{' '}
          <span className={styles.today}>{texts.today}</span>
        </p>
        <svg className={styles.curve} viewBox="0 0 360 96" fill="none" aria-hidden="true">
          <path className={styles.area} d="M0 84c40-4 58-14 92-18s60 4 96-14 54-10 84-24 50-14 88-22v90H0z" />
          <path className={styles.line} d="M0 84c40-4 58-14 92-18s60 4 96-14 54-10 84-24 50-14 86-22" />
          <circle className={styles.now} cx="353" cy="8" r="6" />
        </svg>
        <p className={styles.invite}>
          <span className={styles.link}>{texts.invite}</span>
          <span>
            <b>{texts.clickCount}</b> <span>{texts.clicks}</span>
          </span>
        </p>
      </div>
    </figure>
  )
}
