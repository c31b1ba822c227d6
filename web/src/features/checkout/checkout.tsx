import { intervalOf } from '../../catalog/intervals'
import type { Elements } from '../../lib/elements'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { sentences } from '../../lib/sentences'
import { useSubscription } from '../../purchase/use-subscription'
import { boletoDays } from '../../texts/boleto'
import { checkout as texts } from '../../texts/checkout'
import { ButtonLink } from '../../ui/button'
import { EmptySieve } from '../../ui/empty-sieve'
import { PageLoading } from '../../ui/spinner'
import styles from './checkout.module.css'
import { CheckoutCard, CheckoutFrame, RefusedCard } from './checkout-card'
import { PaymentForm } from './payment-form'
import { Summary } from './summary'
import { type CheckoutScreen, useCheckout } from './use-checkout'
import { useCompletion } from './use-completion'
import { useRecheckOnFocus } from './use-recheck-on-focus'

type ReadyScreen = Extract<CheckoutScreen, { kind: 'ready' }>

/** /checkout: the provider's embedded form beside what is bought. */
export function Checkout({
  notices,
  trialLine,
  managePlan,
}: {
  notices: Elements
  trialLine: (todayCentavos: bigint | null) => Elements
  /** 'Gerenciar Plano', for a subscriber. */
  managePlan: Elements
}) {
  const { screen, again, accept } = useCheckout()
  return (
    <CheckoutFrame title={texts.title}>
      {screen.kind === 'loading' && <PageLoading label={texts.loading} />}
      {screen.kind === 'restricted' && (
        <CheckoutCard title={texts.restricted.title} text={texts.restricted.text} art={<EmptySieve />}>
          <ButtonLink href={paths.login}>{texts.restricted.login}</ButtonLink>
          <ButtonLink href={paths.signUp} variant="secondary">
            {texts.restricted.signUp}
          </ButtonLink>
        </CheckoutCard>
      )}
      {screen.kind === 'refused' && screen.refusal === 'unchosen' && (
        <CheckoutCard title={texts.unchosen.title} text={texts.unchosen.text} art={<EmptySieve />}>
          <ButtonLink href={paths.plans}>{texts.unchosen.plans}</ButtonLink>
        </CheckoutCard>
      )}
      {screen.kind === 'refused' && screen.refusal !== 'unchosen' && (
        <RefusedCard screen={screen} managePlan={managePlan} onAgain={again} onAccept={accept} />
      )}
      {screen.kind === 'ready' && (
        <Payment
          key={screen.clientSecret}
          screen={screen}
          notices={notices}
          trialLine={trialLine(screen.todayCentavos)}
        />
      )}
    </CheckoutFrame>
  )
}

function Payment({
  screen,
  notices,
  trialLine,
}: {
  screen: ReadyScreen
  notices: Elements
  trialLine: Elements
}) {
  const { completion, complete } = useCompletion(screen.clientSecret)
  useRecheckOnFocus(screen.clientSecret, completion === 'paying' ? complete : null)

  if (completion === 'confirming') return <PageLoading label={texts.confirming} />
  if (completion === 'paid')
    return (
      <div role="status">
        <CheckoutCard title={texts.done.title} text={texts.done.text} tone="good" />
      </div>
    )
  return (
    <>
      {notices}
      <div className={styles.columns}>
        <Summary plan={screen.plan} todayCentavos={screen.todayCentavos}>
          {trialLine}
        </Summary>
        <div className={styles.form}>
          <PaymentForm stripe={screen.stripe} clientSecret={screen.clientSecret} onComplete={complete} />
        </div>
      </div>
      <div className={styles.back}>
        <p>{sentences(renewalOf(screen), texts.summary.renews)}</p>
        <BoletoDays />
        <ButtonLink href={paths.plans} variant="quiet">
          {texts.back}
        </ButtonLink>
      </div>
    </>
  )
}

/**
 * What each later period costs. Under the form, so that its first field stays on a phone's first
 * screen.
 */
function renewalOf({ plan, renewalCentavos }: ReadyScreen): string | null {
  const interval = plan && intervalOf(plan.interval)
  return interval && renewalCentavos !== null
    ? texts.summary.renewal(formatCentavos(renewalCentavos), interval.days)
    : null
}

/** A purchase that is charged later has no boleto. */
function BoletoDays() {
  const subscribing = useSubscription()
  return subscribing.kind === 'inactive' && !subscribing.firstChargeAt && <p>{boletoDays}</p>
}
