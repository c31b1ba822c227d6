import { useEffect, useRef } from 'react'
import { paidBy } from '../../../api/subscription'
import { intervalOf } from '../../../catalog/intervals'
import type { PreviewPlanChangeResponse } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate, toDate } from '../../../lib/dates'
import { focus } from '../../../lib/focus'
import { formatCentavos } from '../../../lib/money'
import { sentences } from '../../../lib/sentences'
import { planChange } from '../../../texts/plan-change'
import { Button } from '../../../ui/button'
import { Bill } from '../../../ui/facts'
import { Failure } from '../../../ui/failure'
import form from '../../../ui/form.module.css'
import settings from '../settings.module.css'
import { ManagePlan } from '../subscription/manage-plan'
import { planAndPeriod } from './plan-and-period'
import { planBill } from './plan-bill'
import styles from './plan-change.module.css'
import { keepChoice, type PlanChange, type PresentPlan } from './use-plan-change'

const texts = planChange.review

/**
 * What the change costs, line by line as the provider will invoice it, and the button that names
 * the amount.
 */
export function PlanReview({
  change: { busy, notice, failure, confirm, leave },
  preview,
  present,
}: {
  change: PlanChange
  preview: PreviewPlanChangeResponse
  present: PresentPlan
}) {
  const section = useRef<HTMLElement>(null)
  // Here at first, and after each try: its button could not keep the focus.
  useEffect(() => {
    if (!busy) focus(section.current)
  }, [busy])
  // A boleto cannot be charged at once: said before anybody tries.
  const due = preview.amountDueCentavos
  const portal = due > 0n && paidBy(preview) === 'boleto' ? 'add' : failure?.portal
  const told = failure?.text ?? (portal === 'add' ? texts.cardRequired : null)
  return (
    <section ref={section} className={form.form} tabIndex={-1} aria-label={texts.title}>
      <div className={styles.live} role="status">
        {notice && <p className={settings.check}>{notice}</p>}
      </div>
      <Bill
        facts={[
          [texts.from, planAndPeriod(present)],
          [texts.to, planAndPeriod(preview)],
        ]}
      />
      <Bill
        className={styles.exact}
        aria-label={texts.bill}
        facts={planBill(preview).map(({ text, centavos }) => [text, formatCentavos(centavos)])}
        total={due < 0n ? [texts.credit, -due] : [texts.pay, due]}
      />
      <Afterwards preview={preview} present={present} />
      {told && <Failure role="alert">{told}</Failure>}
      <div className={form.actions}>
        <Button variant="quiet" onClick={leave} disabled={busy}>
          {planChange.back}
        </Button>
        {portal && (
          <ManagePlan
            onOpen={() => keepChoice(preview)}
            variant={portal === 'add' ? 'primary' : 'secondary'}
            text={portal === 'add' ? texts.addCard : texts.portal}
          />
        )}
        {portal !== 'add' && (
          <Button onClick={confirm} busy={busy}>
            {busy ? texts.confirming : confirmText(preview)}
          </Button>
        )}
      </div>
      <div className={styles.live} role="status">
        {busy && <p className="quiet">{texts.wait}</p>}
      </div>
    </section>
  )
}

/** When it takes effect, what pays, and what comes next. */
function Afterwards({ preview, present }: { preview: PreviewPlanChangeResponse; present: PresentPlan }) {
  const due = preview.amountDueCentavos
  const end = toDate(preview.nextPaymentAt)
  // The same period keeps its end, and what was to end then still does; the server says so by
  // charging nothing next.
  const stillEnds = preview.nextPaymentCentavos === 0n
  const isNew = preview.interval !== present.interval
  const suffix = intervalOf(preview.interval)?.period ?? ''
  return (
    <div className="quiet">
      <p>
        {sentences(
          texts.atOnce,
          due > 0n && paidBy(preview) === 'card' && texts.card,
          due < 0n && texts.creditText,
        )}
      </p>
      {due >= 0n && preview.creditAfterCentavos > 0n && (
        <p>{texts.creditLeft(formatCentavos(preview.creditAfterCentavos))}</p>
      )}
      {present.cancelAtPeriodEnd && !stillEnds && <p>{texts.renewsAgain}</p>}
      {end && stillEnds && <p>{texts.stillEnds(formatDate(end))}</p>}
      {end && !stillEnds && (
        <p>
          {sentences(
            texts.later(isNew, formatCentavos(preview.nextPaymentCentavos), suffix, formatDate(end)),
            preview.carriedCentavos > 0n && texts.carriedLater(formatCentavos(preview.carriedCentavos)),
            preview.creditAfterCentavos > 0n &&
              preview.nextChargeCentavos !== undefined &&
              texts.nextCharge(formatCentavos(preview.nextChargeCentavos)),
          )}
        </p>
      )}
    </div>
  )
}

function confirmText({ amountDueCentavos: due }: PreviewPlanChangeResponse): string {
  if (due > 0n) return texts.confirm.pay(formatCentavos(due))
  return due < 0n ? texts.confirm.credit(formatCentavos(-due)) : texts.confirm.nothing
}
