import { formatMoment } from '../../lib/dates'
import { paths } from '../../lib/paths'
import { serverNow } from '../../lib/server-clock'
import { DAY_MS, TRIAL_MS } from '../../lib/timers'
import { trialFirst as texts } from '../../texts/upsell'
import { ButtonLink } from '../../ui/button'
import styles from './trial.module.css'
import { useTrial } from './use-trial'

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
