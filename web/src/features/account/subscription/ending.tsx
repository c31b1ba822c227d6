import { call } from '../../../api/call'
import { useAction } from '../../../forms/use-action'
import { formatDate, toDate } from '../../../lib/dates'
import { CHARGE_TIMEOUT_MS } from '../../../lib/timers'
import { resumeError, cancellation as texts } from '../../../texts/billing'
import { Button } from '../../../ui/button'
import styles from '../account.module.css'

/** A cancelled subscription whose period still runs: until when, and the way back. */
export function Ending({ end, onResumed }: { end: Date | null; onResumed: (end: Date | null) => void }) {
  const { busy, run } = useAction(
    'cancellation',
    async () => {
      const { subscription } = await call(({ billing }) =>
        billing.resumeSubscription({}, { timeoutMs: CHARGE_TIMEOUT_MS }),
      )
      onResumed(toDate(subscription?.endsAt))
      return null
    },
    resumeError,
  )
  return (
    <div className={styles.ending}>
      <h3>{end ? texts.ending.title(formatDate(end)) : texts.ending.undated}</h3>
      <p>{texts.ending.text}</p>
      <Button busy={busy} onClick={run}>
        {busy ? texts.ending.undoing : texts.ending.undo}
      </Button>
    </div>
  )
}
