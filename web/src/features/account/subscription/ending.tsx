import { useState } from 'react'
import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { formatDate, toDate } from '../../../lib/dates'
import { CHARGE_TIMEOUT_MS } from '../../../lib/timers'
import { useToasts } from '../../../lib/toasts'
import { resumeError, cancellation as texts } from '../../../texts/billing'
import { Button } from '../../../ui/button'
import styles from '../billing.module.css'

/** A cancelled subscription whose period still runs: until when, and the way back. */
export function Ending({ end, onResumed }: { end: Date | null; onResumed: (end: Date | null) => void }) {
  const { show } = useToasts()
  const [undoing, setUndoing] = useState(false)
  const undo = async () => {
    setUndoing(true)
    try {
      const { subscription } = await call(({ billing }) =>
        billing.resumeSubscription({}, { timeoutMs: CHARGE_TIMEOUT_MS }),
      )
      onResumed(toDate(subscription?.endsAt))
    } catch (cause) {
      show({ kind: 'error', title: resumeError(reasonOf(cause)) })
    } finally {
      setUndoing(false)
    }
  }
  return (
    <div className={styles.ending}>
      <h3>{end ? texts.ending.title(formatDate(end)) : texts.ending.undated}</h3>
      <p>{texts.ending.text}</p>
      <Button busy={undoing} onClick={undo}>
        {undoing ? texts.ending.undoing : texts.ending.undo}
      </Button>
    </div>
  )
}
