import { call } from '../../../api/call'
import { paidBy } from '../../../api/subscription'
import { intervalOf } from '../../../catalog/intervals'
import { useAction } from '../../../forms/use-action'
import type { PlanChangeConfirmation } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { classNames } from '../../../lib/class-names'
import { formatDate, formatDay, formatMoment, toDate } from '../../../lib/dates'
import type { Elements } from '../../../lib/elements'
import { formatCentavos } from '../../../lib/money'
import { paths } from '../../../lib/paths'
import { sentences } from '../../../lib/sentences'
import { CHARGE_TIMEOUT_MS } from '../../../lib/timers'
import { ManagePlan } from '../../../parts/manage-plan'
import { account } from '../../../texts/account'
import { cancellation, nextPayment, resumeError } from '../../../texts/billing'
import { brand } from '../../../texts/brand'
import { planChange, planChangeCancelError } from '../../../texts/plan-change'
import { Button, ButtonLink } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Facts } from '../../../ui/facts'
import { NewTabLink } from '../../../ui/new-tab-link'
import { supportLink } from '../../../ui/support-link'
import styles from '../account.module.css'
import { useOpenInvoice } from '../invoices/use-invoices'
import { planAndPeriod } from '../plan-change/use-plan-change'
import type { Balance } from '../use-account'
import {
  isEnding,
  isFirstChargeAhead,
  isOver,
  mayCancel,
  mayChangePlan,
  renewalWaits,
  type SubscriptionView,
  statusLabel,
  unpaidReason,
  unpaidRenewal,
} from './account-status'
import { Elapsed } from './elapsed'
import type { News } from './news-note'
import { comingMoney } from './next-payment'

const texts = account.subscription

export interface ShownSubscription {
  view: SubscriptionView
  balance: Balance
  /** Whether an open boleto is shown above the card. */
  hasBoleto: boolean
  /** The plan change that waits for the bank. */
  planChange: PlanChangeConfirmation | null
  /** Link to the purchase of the chosen plan, while it may be concluded. */
  conclude: Elements
}

/** Plan, status, start, end and next payment, with 'Gerenciar Plano' and 'Fazer Upgrade'. */
export function SubscriptionCard({
  view,
  balance,
  hasBoleto,
  planChange,
  conclude,
  onChange,
  onChangeEnded,
  onCancel,
  onResumed,
}: ShownSubscription & {
  onChange: () => void
  onChangeEnded: (news: News) => void
  onCancel: () => void
  onResumed: (end: Date | null) => void
}) {
  const { end, details } = view
  const unpaid = unpaidRenewal(view)
  const live = view.active === true
  const ending = isEnding(view)
  const over = isOver(view)
  const showsUnpaid = unpaid && !(hasBoleto && unpaidReason(view) === 'boleto')
  const waits = renewalWaits(view) && !(showsUnpaid && unpaidReason(view) === 'boleto')
  const unchanging = isFirstChargeAhead(view)
  return (
    <Card className={classNames(styles.card, styles.cockpit, 'at-night')} aria-label={texts.title}>
      <h2 className="visually-hidden">{texts.title}</h2>
      {showsUnpaid && <Unpaid view={view} unpaid={unpaid} />}
      {over && (
        <div className={styles.unpaid}>
          <h3>{texts.over.title}</h3>
          <p>{texts.over.text(view.plan)}</p>
          <div className={styles.actions}>
            {conclude}
            <ButtonLink to={paths.plans} variant={conclude ? 'secondary' : 'primary'}>
              {texts.over.plans}
            </ButtonLink>
          </div>
        </div>
      )}
      {planChange && <WaitingChange change={planChange} onEnded={onChangeEnded} />}
      {ending && <Ending end={end} onResumed={onResumed} />}
      <SubscriptionFacts view={view} balance={balance} />
      {waits && <p className="quiet">{waitsText(view, hasBoleto)}</p>}
      {unchanging && <p className="quiet">{texts.changesLater}</p>}
      <div className={styles.actions}>
        {live && (
          <ButtonLink href={brand.links.app_login} variant={unpaid || ending ? 'secondary' : 'primary'}>
            {account.trial.app}
          </ButtonLink>
        )}
        {!over && conclude}
        {mayChangePlan(view) && (
          <Button variant="secondary" onClick={onChange}>
            {texts.upgrade}
          </Button>
        )}
        {/* An ended subscription has its link to the plans above. */}
        {!(live && details) && !over && !unchanging && (
          <ButtonLink to={paths.plans} variant="secondary">
            {texts.upgrade}
          </ButtonLink>
        )}
      </div>
      <div className={styles.deeds}>
        <ManagePlan variant="quiet" size="sm" className={styles.minor} />
        {mayCancel(view) && (
          <Button variant="quiet" size="sm" className={styles.minor} onClick={onCancel}>
            {cancellation.open}
          </Button>
        )}
      </div>
    </Card>
  )
}

/**
 * At a glance: plan, status and next payment, then the period; below it what else there is to
 * know.
 */
function SubscriptionFacts({ view, balance }: { view: SubscriptionView; balance: Balance }) {
  const { start, end, details } = view
  const { credit, carried } = balance
  const label = statusLabel(view.active, view.status)
  const undated = view.active === undefined ? texts.notYet : texts.missing
  const interval = details && intervalOf(details.interval)
  const { next, notes } = comingMoney(view, balance)
  return (
    <>
      <Facts
        className={styles.glance}
        facts={[
          [texts.plan, view.plan],
          [
            texts.status,
            <span key="status" className={classNames(styles.status, styles[label.tone])}>
              {label.text}
            </span>,
          ],
          next && [nextPayment.label, next],
        ]}
      />
      {notes.length > 0 && <p className="quiet">{notes.join(' ')}</p>}
      <div className={styles.period}>
        {view.active && end && interval && <Elapsed end={end} days={interval.days} />}
        <Facts
          facts={[
            [texts.start, start ? formatDate(start) : undated],
            [texts.end, end ? formatDate(end) : undated],
            interval && [texts.interval, interval.name],
            details &&
              details.priceCentavos > 0n &&
              !isOver(view) && [texts.price, formatCentavos(details.priceCentavos)],
          ]}
        />
      </div>
      <Facts
        className={styles.facts}
        facts={[
          credit > 0n && [nextPayment.credit, formatCentavos(credit)],
          next && carried > 0n && [nextPayment.carried, formatCentavos(carried)],
        ]}
      />
    </>
  )
}

/** Why access is suspended or about to be, and what to do about it. */
function Unpaid({ view, unpaid }: { view: SubscriptionView; unpaid: 'suspended' | 'grace' }) {
  const reason = unpaidReason(view)
  const disputed = reason === 'disputed'
  return (
    <div className={styles.unpaid}>
      <h3>{texts.unpaid.title[reason]}</h3>
      <p>
        {sentences(texts.unpaid.why[reason], disputed ? texts.unpaid.disputed : texts.unpaid.access[unpaid])}
      </p>
      {(reason === 'card' || reason === 'first') && (
        <OpenCharge of={reason === 'card' ? 'renewal' : 'purchase'} />
      )}
      {reason === 'boleto' && <NextBoleto />}
      {disputed ? (
        <NewTabLink href={supportLink(texts.unpaid.supportMessage)}>{texts.unpaid.support}</NewTabLink>
      ) : reason === 'authentication' ? (
        <ButtonLink href={paths.confirmPayment}>{texts.unpaid.confirm}</ButtonLink>
      ) : (
        <ManagePlan text={reason === 'boleto' ? texts.unpaid.payByCard : texts.unpaid.update} />
      )}
    </div>
  )
}

/** The open invoice: its amount, that a new card pays it, and for a renewal what it pays. */
function OpenCharge({ of }: { of: 'purchase' | 'renewal' }) {
  const invoice = useOpenInvoice(of)
  if (!invoice?.amountDueCentavos) return null
  const { due, paysFrom } = texts.unpaid
  const start = of === 'renewal' && toDate(invoice.createdAt)
  return (
    <p>{sentences(due(formatCentavos(invoice.amountDueCentavos)), start && paysFrom(formatDate(start)))}</p>
  )
}

/** The boleto has expired: the day of the next one, and how to pay before it. */
function NextBoleto() {
  const invoice = useOpenInvoice('renewal')
  if (!invoice) return null
  const next = toDate(invoice.nextAttemptAt)
  return <p>{next ? texts.unpaid.nextBoleto(formatDay(next)) : texts.unpaid.noBoleto}</p>
}

function waitsText(view: SubscriptionView, hasBoleto: boolean): string {
  const { card, boleto, boletoToCome } = nextPayment.waits
  if (paidBy(view.details) === 'card') return card
  return hasBoleto ? boleto : boletoToCome
}

/** A cancelled subscription whose period still runs: until when, and the way back. */
function Ending({ end, onResumed }: { end: Date | null; onResumed: (end: Date | null) => void }) {
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
      <h3>{end ? cancellation.ending.title(formatDate(end)) : cancellation.ending.undated}</h3>
      <p>{cancellation.ending.text}</p>
      <Button busy={busy} onClick={run}>
        {busy ? cancellation.ending.undoing : cancellation.ending.undo}
      </Button>
    </div>
  )
}

/**
 * A plan change that the payer must confirm at the bank: the link to it, and the button that
 * discards it.
 */
function WaitingChange({
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
      const { givenUp, paid } = planChange.confirmation
      onEnded(isPaid ? { title: planChange.done.title(planAndPeriod(change)), text: paid } : givenUp)
      return null
    },
    planChangeCancelError,
  )
  const amount = formatCentavos(change.amountCentavos)
  const until = toDate(change.expiresAt)
  return (
    <div className={styles.ending}>
      <h3>{planChange.confirmation.title}</h3>
      <p>
        {sentences(
          planChange.confirmation.text(amount, planAndPeriod(change)),
          until && planChange.confirmation.until(formatMoment(until)),
        )}
      </p>
      <div className={styles.actions}>
        <ButtonLink href={paths.confirmPayment}>{planChange.confirmation.confirm(amount)}</ButtonLink>
        <Button variant="quiet" busy={busy} onClick={run}>
          {busy ? planChange.confirmation.givingUp : planChange.confirmation.giveUp}
        </Button>
      </div>
    </div>
  )
}
