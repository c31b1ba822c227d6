import { sampleDay as texts } from '../../../texts/sample-day'
import styles from './sample-day.module.css'

/** A day of a sample group: twelve posts along the hours, night and day. */
export function SampleDay() {
  return (
    <section className={styles.section} aria-labelledby="day-title">
      <div className={styles.head}>
        <p className={styles.badge}>{texts.badge}</p>
        <h2 id="day-title" className="title-lg">
          {texts.title}
        </h2>
        <p className="lead">{texts.lead}</p>
      </div>
      <ol className={styles.posts}>
        {texts.posts.map(({ id, time, name, now, off }) => (
          <li className={styles.post} key={id}>
            <time className={styles.time}>{time}</time>
            <span className={styles.name}>{name}</span>
            <span className={styles.price}>{now}</span>
            <b className={styles.off}>{off}</b>
          </li>
        ))}
      </ol>
      <p className={styles.note}>{texts.note}</p>
    </section>
  )
}
