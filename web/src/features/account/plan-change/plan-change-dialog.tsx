import { useEffect, useRef, useState } from 'react'
import { paidBy } from '../../../api/subscription'
import { intervalOf } from '../../../catalog/intervals'
import { planName } from '../../../catalog/plan-names'
import {
  BillingService,
  type ChangePlanResponse,
  type PlanChangeConfirmation,
  type PreviewPlanChangeResponse,
} from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate, toDate } from '../../../lib/dates'
import { focus } from '../../../lib/focus'
import { formatCentavos } from '../../../lib/money'
import { paths } from '../../../lib/paths'
import { sentences } from '../../../lib/sentences'
import { MINUTE_MS } from '../../../lib/timers'
import { ManagePlan } from '../../../parts/manage-plan'
import { planChange as texts } from '../../../texts/plan-change'
import { Button, ButtonLink } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Bill } from '../../../ui/facts'
import { Failure } from '../../../ui/failure'
import form from '../../../ui/form.module.css'
import { type DialogProps, DialogWait, useDialogRead } from '../dialogs/form-dialog'
import settings from '../settings.module.css'
import type { News } from '../subscription/news-note'
import { planBill } from './plan-bill'
import styles from './plan-change.module.css'
import { PlanChoiceForm } from './plan-choice'
import {
  keepChoice,
  type PlanChange,
  type PlanChoice,
  type PresentPlan,
  planAndPeriod,
  usePlanChange,
  type WantedPlan,
} from './use-plan-change'

/** 'Fazer Upgrade': another plan or period, what it costs, and the confirmation. */
export function PlanChangeDialog({
  present,
  wanted,
  onClose,
  onChanged,
}: DialogProps & {
  present: PresentPlan
  /** The plan that was chosen elsewhere. */
  wanted: WantedPlan | null
  onChanged: (news: News) => void
}) {
  const { answer: list, isFailed, refetch } = useDialogRead(BillingService.method.listPlans, {}, MINUTE_MS)
  const change = usePlanChange((answer) => {
    onClose()
    onChanged(newsOf(answer))
  })
  const [chosen, setChosen] = useState<PlanChoice | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const { planId, interval } = present
  // At first the present plan, or one that was chosen elsewhere.
  const isSold = list?.plans.some(({ id, forSale }) => forSale && id === wanted?.planId)
  const choice = chosen ?? { planId, interval, ...(isSold && wanted) }

  const choose = (next: PlanChoice) => {
    setRefusal(null)
    setChosen(next)
  }
  const review = () => {
    const same = choice.planId === planId && choice.interval === interval
    setRefusal(same ? texts.same : null)
    if (!same) change.review(choice)
  }

  return (
    <Dialog
      title={change.waiting ? texts.confirmation.title : change.preview ? texts.review.title : texts.title}
      onClose={onClose}
      locked={change.busy}
    >
      {change.waiting ? (
        <BankConfirmation waiting={change.waiting} onClose={onClose} />
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
          onBack={onClose}
        />
      ) : (
        <DialogWait
          failed={isFailed}
          texts={{ ...texts, failed: texts.plansFailed }}
          onBack={onClose}
          onRetry={refetch}
        />
      )}
    </Dialog>
  )
}

/** The bank requires a confirmation: the link to it, and the link back to the account. */
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

const reviewTexts = texts.review

/**
 * What the change costs, line by line as the provider will invoice it, and the button that names
 * the amount.
 */
function PlanReview({
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
  // A boleto cannot be charged at once, so the note comes before a failed attempt.
  const due = preview.amountDueCentavos
  const portal = due > 0n && paidBy(preview) === 'boleto' ? 'add' : failure?.portal
  const problem = failure?.text ?? (portal === 'add' ? reviewTexts.cardRequired : null)
  return (
    <section ref={section} className={form.form} tabIndex={-1} aria-label={reviewTexts.title}>
      <div className={styles.live} role="status">
        {notice && <p className={settings.check}>{notice}</p>}
      </div>
      <Bill
        facts={[
          [reviewTexts.from, planAndPeriod(present)],
          [reviewTexts.to, planAndPeriod(preview)],
        ]}
      />
      <Bill
        className={styles.exact}
        aria-label={reviewTexts.bill}
        facts={planBill(preview).map(({ text, centavos }) => [text, formatCentavos(centavos)])}
        total={due < 0n ? [reviewTexts.credit, -due] : [reviewTexts.pay, due]}
      />
      <Afterwards preview={preview} present={present} />
      {problem && <Failure role="alert">{problem}</Failure>}
      <div className={form.actions}>
        <Button variant="quiet" onClick={leave} disabled={busy}>
          {texts.back}
        </Button>
        {portal && (
          <ManagePlan
            onOpen={() => keepChoice(preview)}
            variant={portal === 'add' ? 'primary' : 'secondary'}
            text={portal === 'add' ? reviewTexts.addCard : reviewTexts.portal}
          />
        )}
        {portal !== 'add' && (
          <Button onClick={confirm} busy={busy}>
            {busy ? reviewTexts.confirming : confirmText(preview)}
          </Button>
        )}
      </div>
      <div className={styles.live} role="status">
        {busy && <p className="quiet">{reviewTexts.wait}</p>}
      </div>
    </section>
  )
}

/** When it takes effect, what pays, and what comes next. */
function Afterwards({ preview, present }: { preview: PreviewPlanChangeResponse; present: PresentPlan }) {
  const due = preview.amountDueCentavos
  const end = toDate(preview.nextPaymentAt)
  // In the same period a set cancellation stays: the server then returns 0 as the next payment.
  const stillEnds = preview.nextPaymentCentavos === 0n
  const isNew = preview.interval !== present.interval
  const suffix = intervalOf(preview.interval)?.period ?? ''
  return (
    <div className="quiet">
      <p>
        {sentences(
          reviewTexts.atOnce,
          due > 0n && paidBy(preview) === 'card' && reviewTexts.card,
          due < 0n && reviewTexts.creditText,
        )}
      </p>
      {due >= 0n && preview.creditAfterCentavos > 0n && (
        <p>{reviewTexts.creditLeft(formatCentavos(preview.creditAfterCentavos))}</p>
      )}
      {present.cancelAtPeriodEnd && !stillEnds && <p>{reviewTexts.renewsAgain}</p>}
      {end && stillEnds && <p>{reviewTexts.stillEnds(formatDate(end))}</p>}
      {end && !stillEnds && (
        <p>
          {sentences(
            reviewTexts.later(isNew, formatCentavos(preview.nextPaymentCentavos), suffix, formatDate(end)),
            preview.carriedCentavos > 0n && reviewTexts.carriedLater(formatCentavos(preview.carriedCentavos)),
            preview.creditAfterCentavos > 0n &&
              preview.nextChargeCentavos !== undefined &&
              reviewTexts.nextCharge(formatCentavos(preview.nextChargeCentavos)),
          )}
        </p>
      )}
    </div>
  )
}

function confirmText({ amountDueCentavos: due }: PreviewPlanChangeResponse): string {
  if (due > 0n) return reviewTexts.confirm.pay(formatCentavos(due))
  return due < 0n ? reviewTexts.confirm.credit(formatCentavos(-due)) : reviewTexts.confirm.nothing
}
