import { readSelectedPlan, readStoredUser } from '../../lib/browser-storage'
import { useCountdown } from '../../lib/countdown'
import { paths } from '../../lib/paths'
import { TRIAL_MS } from '../../lib/timers'
import { brand } from '../../texts/brand'
import { accountConfirmation as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import { Countdown } from '../../ui/countdown'
import { Result, ResultActions } from '../../ui/result'
import { PageLoading } from '../../ui/spinner'
import styles from './trial.module.css'
import { useTrial } from './use-trial'

/** /account-confirmation: the account exists and its trial runs. Spec section 2; design section 10. */
export function AccountConfirmation() {
  const trial = useTrial()
  const plan = readSelectedPlan()
  if (trial.kind === 'loading') return <PageLoading />
  const end = trial.kind === 'none' ? storedEnd() : trial.end
  return (
    <Result mark="nugget" title={texts.title} text={texts.text}>
      <p className={styles.gift}>{texts.trial}</p>
      {end && <Left end={end} />}
      <ResultActions>
        {plan && <ButtonLink to={paths.upsell}>{texts.finish(plan.name)}</ButtonLink>}
        <ButtonLink href={brand.links.app_login} rel="noopener" variant={plan ? 'secondary' : 'primary'}>
          {texts.start}
        </ButtonLink>
      </ResultActions>
    </Result>
  )
}

function Left({ end }: { end: Date }) {
  const { totalMs, over } = useCountdown(end)
  const used = Math.min(100, Math.round(100 - (totalMs / TRIAL_MS) * 100))
  if (over) return <p>{texts.over}</p>
  return (
    <div className={styles.left}>
      <p>{texts.left}</p>
      <Countdown end={end} />
      <progress className={styles.progress} max={100} value={used} aria-label={texts.progress} />
    </div>
  )
}

/** Where the server did not say: from the stored registration date (spec section 4, trial). */
function storedEnd(): Date | null {
  const registered = readStoredUser()?.registeredAt
  return registered ? new Date(registered.getTime() + TRIAL_MS) : null
}
