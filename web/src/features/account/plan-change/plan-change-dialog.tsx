import { useEffect, useState } from 'react'
import type { ChangePlanResponse } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatCentavos } from '../../../lib/money'
import { planName } from '../../../purchase/plan-names'
import { planChange as texts } from '../../../texts/plan-change'
import { Dialog } from '../../../ui/dialog'
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
  } = useDialogRead(open, 'plans', ({ billing }) => billing.listPlans({}))
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
      title={change.preview ? texts.review.title : texts.title}
      onClose={close}
      locked={change.busy}
    >
      {change.preview ? (
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
