import { useMutation } from '@tanstack/react-query'
import { classNames } from '../../../lib/class-names'
import { useCountdown } from '../../../lib/countdown'
import { formatMoment, lastDay } from '../../../lib/dates'
import type { Elements } from '../../../lib/elements'
import { paths } from '../../../lib/paths'
import { DAY_MS, HOUR_MS } from '../../../lib/timers'
import { account } from '../../../texts/account'
import { brand } from '../../../texts/brand'
import { campaignEnds } from '../../../texts/campaign'
import { Button, ButtonLink } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Countdown } from '../../../ui/countdown'
import styles from '../account.module.css'
import { refreshAccount } from '../use-account'

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
  offer = null,
  conclude,
  onOver,
}: {
  end: Date
  /** When the campaign ends, if that is before `end`. */
  campaignEnd?: Date | null
  beside?: 'waits' | 'set' | null
  /** The chosen or recommended plan with its price, for the last two days. */
  offer?: { plan: string; price: string } | null
  /** Link to the purchase of the chosen plan, if there is one. */
  conclude?: Elements
  onOver: () => void
}) {
  const texts = account.trial
  const tone = toneOf(useCountdown(end, onOver).totalMs)
  const urgent = !beside && tone !== 'calm' ? tone : null
  const isNight = urgent === 'last'
  return (
    <Card
      className={classNames(styles.card, isNight && styles.night, isNight && 'at-night')}
      aria-label={texts.title}
    >
      <h2>{urgent ? texts[urgent].title : texts.title}</h2>
      <p>{beside ? texts.beside[beside] : texts.text}</p>
      <div className={styles.countdown}>
        <Countdown end={end} parts={['days', 'hours', 'minutes']} />
      </div>
      <p className="quiet">{texts.until(formatMoment(end))}</p>
      {urgent && offer && <p className={styles.offer}>{texts.offer(offer.plan, offer.price)}</p>}
      {campaignEnd && <p>{campaignEnds(lastDay(campaignEnd))}</p>}
      <div className={styles.actions}>
        <ButtonLink href={brand.links.app_login} variant={beside ? 'secondary' : 'primary'}>
          {texts.app}
        </ButtonLink>
        {conclude}
        {!beside && (
          <ButtonLink to={paths.plans} variant={conclude ? 'quiet' : 'secondary'}>
            {texts.plans}
          </ButtonLink>
        )}
      </div>
    </Card>
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
