import { useState } from 'react'
import { isInCampaign } from '../../catalog/deals'
import { type SelectedPlan, useSelectedPlan } from '../../catalog/selected-plan'
import { useCountdown } from '../../lib/countdown'
import { paths } from '../../lib/paths'
import { serverNow } from '../../lib/server-clock'
import { TRIAL_MS } from '../../lib/timers'
import { useStoredUser } from '../../lib/use-stored'
import { CampaignEnd, useTrial } from '../../parts/trial'
import styles from '../../parts/trial.module.css'
import { useSubscription } from '../../purchase/use-subscription'
import { openBoleto } from '../../texts/boleto'
import { brand } from '../../texts/brand'
import { keptCoupon } from '../../texts/kept-coupon'
import { accountConfirmation as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import { Countdown } from '../../ui/countdown'
import { FinishPurchase } from '../../ui/finish-purchase'
import { KeptPromotion } from '../../ui/kept-promotion'
import { NextSteps } from '../../ui/next-steps'
import { Result, ResultActions } from '../../ui/result'
import { PageLoading } from '../../ui/spinner'
import { type Confirmation, confirmationOf } from './confirmation'

/** /account-confirmation: the account exists, and the state of its trial. */
export function AccountConfirmation() {
  const trial = useTrial()
  const chosen = useSelectedPlan()
  // Used where the server did not return the trial.
  const registeredAt = useStoredUser()?.registeredAt
  const hasBoleto = useSubscription().boleto !== null
  // Drawn again when the countdown ends: the trial is over from then on.
  const [, setEnded] = useState(false)
  if (trial.kind === 'loading') return <PageLoading />
  const state = confirmationOf(
    trial,
    registeredAt ? new Date(registeredAt.getTime() + TRIAL_MS) : null,
    serverNow(),
  )
  return (
    <Result
      mark={state.kind === 'over' ? 'sieve' : 'nugget'}
      title={state.kind === 'over' ? texts.ended : texts.title}
      text={hasBoleto ? texts.boleto : TEXTS[state.kind]}
    >
      {state.kind === 'running' && <p className={styles.gift}>{texts.trial}</p>}
      <ResultActions>
        <Actions kind={state.kind} chosen={chosen} hasBoleto={hasBoleto} />
      </ResultActions>
      {state.kind === 'running' && chosen && isInCampaign(chosen) && <CampaignEnd />}
      <KeptPromotion text={keptCoupon.account} />
      {!isOver(state.kind) && <NextSteps />}
      {/* Over, it reads zero. */}
      {(state.kind === 'running' || state.kind === 'over') && (
        <Left end={state.end} onOver={() => setEnded(true)} />
      )}
    </Result>
  )
}

const TEXTS: Record<Confirmation['kind'], string> = {
  running: texts.text,
  over: texts.over,
  used: texts.used,
  subscribed: texts.subscribed,
  ready: texts.ready,
}

/** Whether there is no trial to go on with. */
function isOver(kind: Confirmation['kind']): boolean {
  return kind === 'over' || kind === 'used'
}

/** The app comes first, and once the trial is over a plan, or the open boleto. */
function Actions({
  kind,
  chosen,
  hasBoleto,
}: {
  kind: Confirmation['kind']
  chosen: SelectedPlan | null
  hasBoleto: boolean
}) {
  const over = isOver(kind)
  const variant = over ? 'primary' : 'secondary'
  const start = (
    <ButtonLink href={brand.links.app_login} variant={over ? 'secondary' : 'primary'}>
      {texts.start}
    </ButtonLink>
  )
  return (
    <>
      {!over && start}
      {kind !== 'subscribed' && <Buy chosen={chosen} hasBoleto={hasBoleto} variant={variant} />}
      {kind === 'used' && start}
      {(kind === 'subscribed' || kind === 'over') && !hasBoleto && (
        <ButtonLink to={paths.account} variant="secondary">
          {texts.account}
        </ButtonLink>
      )}
    </>
  )
}

function Buy({
  chosen,
  hasBoleto,
  variant,
}: {
  chosen: SelectedPlan | null
  hasBoleto: boolean
  variant: 'primary' | 'secondary'
}) {
  if (hasBoleto)
    return (
      <ButtonLink to={paths.account} variant={variant}>
        {openBoleto.view}
      </ButtonLink>
    )
  if (chosen) return <FinishPurchase plan={chosen} variant={variant} />
  return (
    <ButtonLink to={paths.plans} variant={variant}>
      {texts.plans}
    </ButtonLink>
  )
}

function Left({ end, onOver }: { end: Date; onOver: () => void }) {
  const { totalMs, over } = useCountdown(end, onOver)
  const used = Math.min(100, Math.round(100 - (totalMs / TRIAL_MS) * 100))
  return (
    <div className={styles.left}>
      <p>{over ? texts.none : texts.left}</p>
      <Countdown end={end} size="sm" />
      <progress className={styles.progress} max={100} value={used} aria-label={texts.progress} />
    </div>
  )
}
