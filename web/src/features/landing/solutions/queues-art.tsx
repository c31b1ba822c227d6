import { classNames } from '../../../lib/class-names'
import { solutionSlides } from '../../../texts/solution-slides'
import { Checks } from '../checks'
import styles from './queues-art.module.css'

const texts = solutionSlides.queues

/** A timeline for each group, posts spaced by its interval; the first ones are out. */
export function QueuesArt() {
  return (
    <div className={styles.art} aria-hidden="true">
      {texts.list.map(({ group, every, times }) => (
        <div key={group}>
          <p className={styles.group}>
            <span>{group}</span> <span className={styles.every}>{every}</span>
          </p>
          <ol className={styles.line}>
            {times.map((time, at) => (
              <li className={classNames(styles.post, at === 0 && styles.sent)} key={time}>
                <span className={styles.dot}>{at === 0 && <Checks />}</span>
                <span>{time}</span>
              </li>
            ))}
          </ol>
        </div>
      ))}
    </div>
  )
}
