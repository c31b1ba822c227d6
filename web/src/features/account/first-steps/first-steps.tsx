import { useState } from 'react'
import { write } from '../../../lib/browser-storage'
import { focus, pageHeading } from '../../../lib/focus'
import { serverNow } from '../../../lib/server-clock'
import { DAY_MS } from '../../../lib/timers'
import { useStored } from '../../../lib/use-stored'
import { nextSteps as texts } from '../../../texts/results'
import { Card } from '../../../ui/card'
import { LineIcon } from '../../../ui/line-icon'
import styles from './first-steps.module.css'
import { doneSteps, storedSteps } from './kept-steps'

/** An older account has taken them, on whatever device. */
const MAX_AGE_MS = 30 * DAY_MS
const ALL = texts.items.map((_, at) => at)

/** The first steps in the app, of a new account, until each is ticked or the list is closed. */
export function FirstSteps({ uid, createdAt }: { uid: string; createdAt: Date | null }) {
  const done = doneSteps(useStored('firstSteps'), uid)
  const areDone = done.length === ALL.length
  // The last tick is seen: the list goes with the next visit, or with its button.
  const [wereDone, setWereDone] = useState(areDone)
  const isNew = createdAt !== null && serverNow().getTime() - createdAt.getTime() < MAX_AGE_MS
  if (wereDone || !isNew) return null
  const keep = (steps: readonly number[]) => write('firstSteps', storedSteps(uid, steps))
  const tick = (at: number) => keep(done.includes(at) ? done.filter((other) => other !== at) : [...done, at])
  const close = () => {
    keep(ALL)
    setWereDone(true)
    focus(pageHeading())
  }
  return (
    <Card className={styles.steps} aria-label={texts.title}>
      <div className={styles.head}>
        <h2>{texts.title}</h2>
        <button type="button" className={styles.close} aria-label={texts.close} onClick={close}>
          <LineIcon viewBox="0 0 20 20" width="18" height="18" strokeWidth="2" d="m5 5 10 10M15 5 5 15" />
        </button>
      </div>
      <ol>
        {texts.items.map(({ title, text }, at) => (
          <li key={title}>
            <label className={styles.step}>
              <input type="checkbox" checked={done.includes(at)} onChange={() => tick(at)} />
              <span>
                <b>{title}</b>
                <span className={styles.text}>{text}</span>
              </span>
            </label>
          </li>
        ))}
      </ol>
    </Card>
  )
}
