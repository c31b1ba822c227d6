import { useMutation } from '@tanstack/react-query'
import { planName } from '../../../catalog/plan-names'
import { type SelectedPlan, writeSelectedPlan } from '../../../catalog/selected-plan'
import { remove } from '../../../lib/browser-storage'
import { classNames } from '../../../lib/class-names'
import { hoursAndMinutes, useCountdown } from '../../../lib/countdown'
import { formatMoment, lastDay } from '../../../lib/dates'
import type { Elements } from '../../../lib/elements'
import { formatCentavos } from '../../../lib/money'
import { noBreak } from '../../../lib/no-break'
import { paths } from '../../../lib/paths'
import { DAY_MS, HOUR_MS, TRIAL_MS } from '../../../lib/timers'
import { useFirstPayment } from '../../../purchase/first-payment'
import { account } from '../../../texts/account'
import { brand } from '../../../texts/brand'
import { campaignEnds } from '../../../texts/campaign'
import { Button, ButtonLink } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Countdown } from '../../../ui/countdown'
import { FinishPurchase } from '../../../ui/finish-purchase'
import styles from '../account.module.css'
import { refreshAccount } from '../use-account'
import { Elapsed } from './elapsed'

/** How urgent the end of a trial is: calm, in its last two days, or in its last hours. */
function toneOf(leftMs: number): 'calm' | 'soon' | 'last' {
  if (leftMs > 2 * DAY_MS) return 'calm'
  return leftMs > 3 * HOUR_MS ? 'soon' : 'last'
}

/**
 * The running trial: without a subscription, or beside one whose first payment is awaited or `set`
 * for the trial's end. `onOver` is called when it ends.
 */
export function TrialCard({
  end,
  beside = null,
  campaignEnd = null,
  chosen = null,
  recommended = null,
  onOver,
}: {
  end: Date
  /** When the campaign ends, if that is before `end`. */
  campaignEnd?: Date | null
  beside?: 'waits' | 'set' | null
  /** The chosen plan; without one the last days name the recommended one. */
  chosen?: SelectedPlan | null
  recommended?: Recommended | null
  onOver: () => void
}) {
  const texts = account.trial
  const left = useCountdown(end, onOver)
  const tone = beside ? 'calm' : toneOf(left.totalMs)
  const isLast = tone === 'last'
  const offer =
    tone === 'soon' &&
    (chosen
      ? texts.chosen(noBreak(planName(chosen.planId)))
      : recommended && <Recommendation {...recommended} />)
  const app = (
    <ButtonLink href={brand.links.app_login} variant={beside || isLast ? 'secondary' : 'primary'}>
      {texts.app}
    </ButtonLink>
  )
  return (
    <Card
      className={classNames(styles.card, styles.trial, isLast && styles.night, isLast && 'at-night')}
      aria-label={texts.title}
    >
      {isLast ? (
        <>
          <h2>{texts.last.title(hoursAndMinutes(left))}</h2>
          <p>{texts.last.text}</p>
        </>
      ) : (
        <>
          <h2>{tone === 'soon' ? texts.soon.title : texts.title}</h2>
          <p>{beside ? texts.beside[beside] : texts.text}</p>
          <div className={styles.countdown}>
            <Countdown end={end} parts={['days', 'hours', 'minutes']} />
          </div>
        </>
      )}
      <Elapsed end={end} days={TRIAL_MS / DAY_MS} />
      <p className="quiet">{texts.until(formatMoment(end))}</p>
      {offer && <p className={styles.offer}>{offer}</p>}
      {campaignEnd && <p>{campaignEnds(lastDay(campaignEnd))}</p>}
      <div className={styles.actions}>
        {!isLast && app}
        {chosen && <FinishPurchase plan={chosen} variant={isLast ? 'primary' : 'secondary'} />}
        {isLast && !chosen && recommended && <Subscribe {...recommended} />}
        {isLast && app}
        {!beside && (
          <ButtonLink to={paths.plans} variant={chosen || isLast ? 'quiet' : 'secondary'}>
            {texts.plans}
          </ButtonLink>
        )}
      </div>
    </Card>
  )
}

/** A plan by the month, and its price without a coupon. */
export interface Recommended {
  choice: SelectedPlan
  monthlyCentavos: number
}

/** The price at which the offers begin: that of the kept coupon or campaign, once it is known. */
function usePrice({ choice, monthlyCentavos }: Recommended): string {
  const payment = useFirstPayment(choice)
  const monthly = formatCentavos(monthlyCentavos)
  const { trial } = account
  return payment?.isReduced
    ? trial.firstMonth(formatCentavos(payment.centavos), monthly)
    : trial.monthly(monthly)
}

function Recommendation(recommended: Recommended) {
  const price = usePrice(recommended)
  return <span>{account.trial.offer(noBreak(planName(recommended.choice.planId)), price)}</span>
}

/** Chooses the recommended plan. */
function Subscribe(recommended: Recommended) {
  const { choice } = recommended
  const price = usePrice(recommended)
  const choose = () => {
    remove('upsellEndTime')
    writeSelectedPlan(choice)
  }
  return (
    <ButtonLink to={paths.upsell} onClick={choose}>
      {account.trial.subscribe(noBreak(planName(choice.planId)), price)}
    </ButtonLink>
  )
}

/** No subscription, and the account is older than the trial. */
export function NoSubscriptionCard({ conclude }: { conclude: Elements }) {
  const texts = account.none
  return (
    <Card className={styles.card}>
      <h2>{texts.title}</h2>
      <p>{texts.text}</p>
      <div className={styles.actions}>
        {conclude}
        <ButtonLink to={paths.plans} variant={conclude ? 'secondary' : 'primary'}>
          {texts.plans}
        </ButtonLink>
      </div>
    </Card>
  )
}

/**
 * Offers another try after both reads failed. `partly`: only that of the subscription did, so
 * amounts, cancellation and refund are unknown.
 */
export function UnknownCard({ partly }: { partly: boolean }) {
  const texts = account.unknown
  return (
    <Card className={styles.card}>
      <h2>{texts.title}</h2>
      <p>{partly ? texts.partly : texts.text}</p>
      <div className={styles.actions}>
        <RefreshButton>{texts.again}</RefreshButton>
      </div>
    </Card>
  )
}

/** Reads the account again, and is busy meanwhile. */
export function RefreshButton({ children }: { children: string }) {
  const { isPending, mutate } = useMutation({ mutationFn: refreshAccount })
  return (
    <Button busy={isPending} onClick={() => mutate()}>
      {children}
    </Button>
  )
}
