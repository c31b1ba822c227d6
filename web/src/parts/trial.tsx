import { useQuery } from '@tanstack/react-query'
import { subscriptionQuery } from '../api/subscription'
import { formatDate, formatMoment, lastDay, toDate } from '../lib/dates'
import { type Centavos, formatCentavos } from '../lib/money'
import { paths } from '../lib/paths'
import { serverNow } from '../lib/server-clock'
import { DAY_MS, TRIAL_MS } from '../lib/timers'
import { useSubscription } from '../purchase/use-subscription'
import { useUid } from '../session/session'
import { campaignEnds } from '../texts/campaign'
import { checkout } from '../texts/checkout'
import { trialFirst as texts } from '../texts/upsell'
import { ButtonLink } from '../ui/button'
import { Countdown } from '../ui/countdown'
import styles from './trial.module.css'

/** The free trial of the signed-in visitor: 7 days from account creation, no card. */
export type Trial =
  | { kind: 'loading' }
  /** `firstChargeAt`: when a purchase made now is first charged, where that is not at once. */
  | { kind: 'running'; end: Date; firstChargeAt: Date | null }
  | { kind: 'over'; end: Date }
  | { kind: 'subscribed' }
  /** Without a session or without an answer, which is no verdict. */
  | { kind: 'unknown' }

/** The trial as the server has it. */
export function useTrial(): Trial {
  const { kind, trialEndsAt: end, firstChargeAt } = useSubscription()
  if (kind === 'asking') return { kind: 'loading' }
  if (kind === 'active') return { kind: 'subscribed' }
  if (!end) return { kind: 'unknown' }
  return end > serverNow() ? { kind: 'running', end, firstChargeAt } : { kind: 'over', end }
}

/** The rest of the running trial. */
export function TrialLeft({ text }: { text: string }) {
  const trial = useTrial()
  if (trial.kind !== 'running') return null
  return (
    <div className={styles.left}>
      <p>{text}</p>
      <Countdown end={trial.end} />
    </div>
  )
}

/** Effect of a payment on the running trial, in one line beside its amount. */
export function TrialLine({ todayCentavos }: { todayCentavos: Centavos | null }) {
  const trial = useTrial()
  if (trial.kind !== 'running') return null
  const { charged, later } = checkout.trial
  return (
    <p>
      {trial.firstChargeAt && todayCentavos !== null
        ? later(formatCentavos(todayCentavos), formatMoment(trial.firstChargeAt))
        : charged(formatDate(trial.end))}
    </p>
  )
}

/** A note that the Black November prices end before the running trial. */
export function CampaignEnd() {
  const { data } = useQuery(subscriptionQuery(useUid()))
  const end = toDate(data?.campaignEndsAt)
  return end && <p className={styles.note}>{campaignEnds(lastDay(end))}</p>
}

/** The trial above the offers; the main action on the day of the sign-up. */
export function TrialFirst() {
  const trial = useTrial()
  if (trial.kind !== 'running') return null
  const isNew = trial.end.getTime() - serverNow().getTime() > TRIAL_MS - DAY_MS
  return (
    <section className={styles.first} aria-label={texts.title}>
      <div>
        <p className={styles.title}>{texts.title}</p>
        <p>{texts.text(formatMoment(trial.end))}</p>
      </div>
      <ButtonLink
        to={isNew ? paths.accountConfirmation : paths.account}
        variant={isNew ? 'primary' : 'secondary'}
        size={isNew ? 'lg' : 'md'}
      >
        {texts.stay}
      </ButtonLink>
      <p className={styles.charge}>
        {trial.firstChargeAt ? texts.later(formatMoment(trial.firstChargeAt)) : texts.charged}
      </p>
    </section>
  )
}
