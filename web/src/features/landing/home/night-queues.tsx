import { night as texts } from '../../../texts/night'
import styles from './night-queues-art.module.css'

/**
 * A day of the queues over the whole width: a lane of posts for each group. The night turns to
 * morning under it.
 */
export function NightQueues() {
  return (
    <section className={styles.section} aria-labelledby="night-title">
      <div className={styles.head}>
        <h2 id="night-title" className="title-lg">
          {texts.title}
        </h2>
        <p className={styles.lead}>{texts.lead}</p>
      </div>
      <ul className={styles.lanes}>
        {texts.lanes.map(({ group, every }) => (
          <li key={group}>
            <p className={styles.group}>
              <b>{group}</b> <span>{every}</span>
            </p>
          </li>
        ))}
      </ul>
      <div className={styles.hours} aria-hidden="true">
        {texts.hours.map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
      <p className={styles.note}>{texts.note}</p>
    </section>
  )
}
