import { useEffect, useRef, useState } from 'react'
import { planName } from '../../../catalog/plan-names'
import {
  BillingService,
  type ChangePlanResponse,
  type PlanChangeConfirmation,
} from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { focus } from '../../../lib/focus'
import { formatCentavos } from '../../../lib/money'
import { paths } from '../../../lib/paths'
import { MINUTE_MS } from '../../../lib/timers'
import { planChange as texts } from '../../../texts/plan-change'
import { Button, ButtonLink } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import form from '../../../ui/form.module.css'
import { DialogWait } from '../dialogs/dialog-wait'
import type { DialogProps } from '../dialogs/form-dialog'
import { useDialogRead } from '../dialogs/use-dialog-read'
import type { News } from '../subscription/news-note'
import { planAndPeriod } from './plan-and-period'
import { PlanChoiceForm } from './plan-choice'
import { PlanReview } from './plan-review'
import { type PlanChoice, type PresentPlan, usePlanChange, type WantedPlan } from './use-plan-change'

/** 'Fazer Upgrade': another plan or period, what it costs, and the confirmation. */
export function PlanChangeDialog({
  open,
  present,
  wanted,
  onClose,
  onChanged,
}: DialogProps & {
  present: PresentPlan
  /** What was chosen elsewhere. */
  wanted: WantedPlan | null
  onChanged: (news: News) => void
}) {
  const {
    answer: list,
    isFailed,
    again,
  } = useDialogRead(open, BillingService.method.listPlans, {}, MINUTE_MS)
  const [choice, setChoice] = useState<PlanChoice>(present)
  const [refusal, setRefusal] = useState<string | null>(null)
  const change = usePlanChange((answer) => {
    close()
    onChanged(newsOf(answer))
  })
  const { planId, interval } = present
  // Each opening begins at what the person has, or chose elsewhere.
  const isSold = list?.plans.some(({ id, forSale }) => forSale && id === wanted?.planId)
  useEffect(() => {
    if (open) setChoice({ planId, interval, ...(isSold && wanted) })
  }, [open, planId, interval, wanted, isSold])

  const close = () => {
    change.leave()
    setRefusal(null)
    onClose()
  }
  const choose = (wanted: PlanChoice) => {
    setRefusal(null)
    setChoice(wanted)
  }
  const review = () => {
    const same = choice.planId === planId && choice.interval === interval
    setRefusal(same ? texts.same : null)
    if (!same) void change.review(choice)
  }

  return (
    <Dialog
      open={open}
      title={change.waiting ? texts.confirmation.title : change.preview ? texts.review.title : texts.title}
      onClose={close}
      locked={change.busy}
    >
      {change.waiting ? (
        <BankConfirmation waiting={change.waiting} onClose={close} />
      ) : change.preview ? (
        <PlanReview change={change} preview={change.preview} present={present} />
      ) : list ? (
        <PlanChoiceForm
          plans={list.plans}
          present={present}
          choice={choice}
          busy={change.busy}
          failure={refusal ?? change.failure?.text ?? null}
          onChoose={choose}
          onSubmit={review}
          onBack={close}
        />
      ) : (
        <DialogWait
          failed={isFailed}
          texts={{ ...texts, failed: texts.plansFailed }}
          onBack={close}
          onRetry={again}
        />
      )}
    </Dialog>
  )
}

/** The bank wants the payer to confirm: the link to that page, and the way back to the account. */
function BankConfirmation({ waiting, onClose }: { waiting: PlanChangeConfirmation; onClose: () => void }) {
  const section = useRef<HTMLElement>(null)
  // The button that had the focus is gone.
  useEffect(() => {
    focus(section.current)
  }, [])
  const amount = formatCentavos(waiting.amountCentavos)
  const { confirmation } = texts
  return (
    <section ref={section} className={form.form} tabIndex={-1} aria-label={confirmation.title}>
      <p role="status">{confirmation.text(amount, planAndPeriod(waiting))}</p>
      <div className={form.actions}>
        <Button variant="quiet" onClick={onClose}>
          {confirmation.later}
        </Button>
        <ButtonLink href={paths.confirmPayment}>{confirmation.confirm(amount)}</ButtonLink>
      </div>
    </section>
  )
}

function newsOf({ subscription, chargedCentavos, creditCentavos }: ChangePlanResponse): News {
  const { title, charged, credit, nothing } = texts.done
  const money =
    chargedCentavos > 0n
      ? charged(formatCentavos(chargedCentavos))
      : creditCentavos > 0n
        ? credit(formatCentavos(creditCentavos))
        : nothing
  return { title: title(subscription ? planAndPeriod(subscription) : planName(null)), text: money }
}
