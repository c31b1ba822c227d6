import { call } from '../../../api/call'
import { useAction } from '../../../forms/use-action'
import type { PlanChangeConfirmation } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatMoment, toDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { paths } from '../../../lib/paths'
import { sentences } from '../../../lib/sentences'
import { CHARGE_TIMEOUT_MS } from '../../../lib/timers'
import { planChangeCancelError, planChange as texts } from '../../../texts/plan-change'
import { Button, ButtonLink } from '../../../ui/button'
import styles from '../account.module.css'
import { planAndPeriod } from '../plan-change/plan-and-period'
import type { News } from './news-note'

/**
 * A plan change that the payer must confirm at the bank: the link to it, and the button that
 * discards it.
 */
export function WaitingChange({
  change,
  onEnded,
}: {
  change: PlanChangeConfirmation
  onEnded: (news: News) => void
}) {
  const { busy, run } = useAction(
    'plan change',
    async () => {
      const { subscription } = await call(({ billing }) =>
        billing.cancelPlanChange({}, { timeoutMs: CHARGE_TIMEOUT_MS }),
      )
      const isPaid = subscription?.planId === change.planId && subscription.interval === change.interval
      const { givenUp, paid } = texts.confirmation
      onEnded(isPaid ? { title: texts.done.title(planAndPeriod(change)), text: paid } : givenUp)
      return null
    },
    planChangeCancelError,
  )
  const amount = formatCentavos(change.amountCentavos)
  const until = toDate(change.expiresAt)
  return (
    <div className={styles.ending}>
      <h3>{texts.confirmation.title}</h3>
      <p>
        {sentences(
          texts.confirmation.text(amount, planAndPeriod(change)),
          until && texts.confirmation.until(formatMoment(until)),
        )}
      </p>
      <div className={styles.actions}>
        <ButtonLink href={paths.confirmPayment}>{texts.confirmation.confirm(amount)}</ButtonLink>
        <Button variant="quiet" busy={busy} onClick={run}>
          {busy ? texts.confirmation.givingUp : texts.confirmation.giveUp}
        </Button>
      </div>
    </div>
  )
}
