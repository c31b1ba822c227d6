import { useState } from 'react'
import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { intervalOf } from '../../../catalog/intervals'
import { useForm } from '../../../forms/use-form'
import { BillingService, type Subscription } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate, toDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { noBreak } from '../../../lib/no-break'
import { serverNow } from '../../../lib/server-clock'
import { CHARGE_TIMEOUT_MS, MINUTE_MS } from '../../../lib/timers'
import type { RequestId } from '../../../lib/use-request-id'
import { cancellationError, cancelForm as texts } from '../../../texts/billing-dialogs'
import { Button } from '../../../ui/button'
import { SelectField } from '../../../ui/select-field'
import { TextArea } from '../../../ui/text-area'
import { type DialogProps, FormDialog, useDialogRead } from '../dialogs/form-dialog'
import { cheapestPlan } from '../plan-change/plan-differences'
import settings from '../settings.module.css'
import { mayChangePlan, type SubscriptionView } from './account-status'
import { cancelReason, MAX_WORDS } from './cancel-reason'
import type { News } from './news-note'

/** The end of a subscription: until when access lasts, why (if one likes), one button. */
export function CancelDialog({
  view,
  credit,
  request,
  onClose,
  onCanceled,
  onRefund,
  onChange,
}: DialogProps & {
  view: SubscriptionView
  /** Centavos. */
  credit: bigint
  request: RequestId
  onCanceled: (news: News) => void
  onRefund: () => void
  /** Opens the plan change at this plan. */
  onChange: (planId: string) => void
}) {
  const { plan, end, details } = view
  // While the guarantee holds.
  const refundableUntil = toDate(details?.refundableUntil)
  const [choice, setChoice] = useState('')
  const { bound } = useForm<never>({
    send: async (typed) => {
      const asked = { reason: cancelReason(choice, typed('words')), requestId: request.current() }
      const { subscription } = await call(({ billing }) =>
        billing.cancelSubscription(asked, { timeoutMs: CHARGE_TIMEOUT_MS }),
      )
      request.renew()
      onClose()
      onCanceled(newsOf(toDate(subscription?.endsAt) ?? end))
    },
    explain: (cause) => ({ text: cancellationError(reasonOf(cause)), field: null }),
  })

  return (
    <FormDialog texts={texts} {...bound} onClose={onClose} danger>
      <p>{leadOf(plan, end)}</p>
      {credit > 0n && <p>{texts.credit(formatCentavos(credit))}</p>}
      {refundableUntil && (
        <div className={settings.check}>
          <p>{texts.guarantee(formatDate(refundableUntil))}</p>
          <Button size="sm" variant="secondary" disabled={bound.busy} onClick={onRefund}>
            {texts.guaranteeOpen}
          </Button>
        </div>
      )}
      <SelectField
        label={texts.why}
        none={texts.whyNone}
        options={texts.reasons}
        value={choice}
        onChange={(event) => setChoice(event.currentTarget.value)}
      />
      {details && mayChangePlan(view) && choice === texts.cheaper.reason && (
        <CheaperOffer present={details} disabled={bound.busy} onTake={onChange} />
      )}
      <TextArea label={texts.more} hint={texts.moreHint(MAX_WORDS)} name="words" maxLength={MAX_WORDS} />
    </FormDialog>
  )
}

/** Until when access lasts; a paid time that is over (only a renewal waits) ends at once. */
function leadOf(plan: string, end: Date | null): string {
  if (!end) return `${texts.undated} ${texts.undo}`
  return end > serverNow() ? `${texts.until(plan, formatDate(end))} ${texts.undo}` : texts.atOnce
}

function newsOf(end: Date | null): News {
  const { title, text, undated, atOnce } = texts.done
  if (!end) return { title, text: undated }
  return { title, text: end > serverNow() ? text(formatDate(end)) : atOnce }
}

/** A cheaper plan for somebody who cancels because of the price. */
function CheaperOffer({
  present,
  disabled,
  onTake,
}: {
  present: Subscription
  disabled: boolean
  onTake: (planId: string) => void
}) {
  const { answer } = useDialogRead(BillingService.method.listPlans, {}, MINUTE_MS)
  const plan = answer ? cheapestPlan(answer.plans, present) : null
  return (
    <div role="status">
      {plan && (
        <div className={settings.check}>
          <p>{texts.cheaper.text}</p>
          <Button size="sm" disabled={disabled} onClick={() => onTake(plan.id)}>
            {texts.cheaper.take(
              noBreak(plan.name),
              `${formatCentavos(plan.priceCentavos)}${intervalOf(present.interval)?.period ?? ''}`,
            )}
          </Button>
        </div>
      )}
    </div>
  )
}
