import type { Stripe } from '@stripe/stripe-js'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { logFailure } from '../../api/call'
import { askCheckout, type CheckoutState, checkoutEndQuery } from '../../api/checkout'
import { trackFinish } from '../../attribution/tracking'
import { intervalOf } from '../../catalog/intervals'
import { planName } from '../../catalog/plan-names'
import type { SelectedPlan } from '../../catalog/selected-plan'
import { resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import { classNames } from '../../lib/class-names'
import { formatDate } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { type Path, paths } from '../../lib/paths'
import { sentences } from '../../lib/sentences'
import { after, CHECKOUT_CLOSE_MS, SECOND_MS } from '../../lib/timers'
import { OpenBoleto } from '../../parts/boleto'
import { TrialLine } from '../../parts/trial'
import { succeeded } from '../../purchase/checkout-message'
import { useSubscription } from '../../purchase/use-subscription'
import { boletoDays } from '../../texts/boleto'
import { checkout as texts } from '../../texts/checkout'
import { ButtonLink } from '../../ui/button'
import { Bill } from '../../ui/facts'
import { Sieve } from '../../ui/sieve'
import { PageLoading } from '../../ui/spinner'
import styles from './checkout.module.css'
import { CheckoutCard, CheckoutFrame, RefusedCard } from './checkout-card'
import { askOpener } from './opener'
import { type CheckoutScreen, useCheckout } from './use-checkout'

type ReadyScreen = Extract<CheckoutScreen, { kind: 'ready' }>

/** /checkout: the provider's embedded form beside what is bought. */
export function Checkout() {
  const { screen, retry, accept } = useCheckout()
  return (
    <CheckoutFrame title={texts.title}>
      {screen.kind === 'loading' && <PageLoading label={texts.loading} />}
      {screen.kind === 'restricted' && (
        <CheckoutCard title={texts.restricted.title} text={texts.restricted.text} art={<Sieve width={180} />}>
          <ButtonLink href={paths.login}>{texts.restricted.login}</ButtonLink>
          <ButtonLink href={paths.signUp} variant="secondary">
            {texts.restricted.signUp}
          </ButtonLink>
        </CheckoutCard>
      )}
      {screen.kind === 'refused' && screen.refusal === 'unchosen' && (
        <CheckoutCard title={texts.unchosen.title} text={texts.unchosen.text} art={<Sieve width={180} />}>
          <ButtonLink href={paths.plans}>{texts.unchosen.plans}</ButtonLink>
        </CheckoutCard>
      )}
      {screen.kind === 'refused' && screen.refusal !== 'unchosen' && (
        <RefusedCard screen={screen} onRetry={retry} onAccept={accept} />
      )}
      {screen.kind === 'ready' && <Payment key={screen.clientSecret} screen={screen} />}
    </CheckoutFrame>
  )
}

function Payment({ screen }: { screen: ReadyScreen }) {
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
      <OpenBoleto once />
      <div className={styles.columns}>
        <Summary plan={screen.plan} todayCentavos={screen.todayCentavos} />
        <div className={classNames(styles.form, 'by-day')}>
          <PaymentForm stripe={screen.stripe} clientSecret={screen.clientSecret} onComplete={complete} />
        </div>
        <div className={styles.back}>
          <p>{sentences(renewalOf(screen), texts.summary.renews)}</p>
          <BoletoDays />
          <ButtonLink href={paths.plans} variant="quiet">
            {texts.back}
          </ButtonLink>
        </div>
      </div>
    </>
  )
}

/**
 * The price of each later period, if it is another one. Under the form, so that its first field
 * stays on a phone's first screen.
 */
function renewalOf({ plan, renewalCentavos, todayCentavos }: ReadyScreen): string | null {
  const interval = plan && intervalOf(plan.interval)
  if (!interval || renewalCentavos === null) return null
  const { renewal, renewalAlike } = texts.summary
  return renewalCentavos === todayCentavos
    ? renewalAlike(interval.days)
    : renewal(formatCentavos(renewalCentavos), interval.days)
}

/** A purchase that is charged later has no boleto. */
function BoletoDays() {
  const { kind, firstChargeAt } = useSubscription()
  return kind === 'inactive' && !firstChargeAt && <p>{boletoDays}</p>
}

/** The provider allows one form at a time: the next one waits until the previous one is gone. */
let previousForm: Promise<unknown> = Promise.resolve()

/** The provider's embedded checkout of one session. */
function PaymentForm({
  stripe,
  clientSecret,
  onComplete,
}: {
  stripe: Stripe
  clientSecret: string
  onComplete: () => void
}) {
  const place = useRef<HTMLDivElement>(null)
  const completed = useEffectEvent(onComplete)
  useEffect(() => {
    const opened = previousForm.then(() =>
      stripe.createEmbeddedCheckoutPage({ clientSecret, onComplete: () => completed() }),
    )
    void opened.then((form) => place.current && form.mount(place.current))
    return () => {
      previousForm = opened.then((form) => form.destroy()).catch(() => undefined)
    }
  }, [stripe, clientSecret])
  return <div ref={place} />
}

/** The purchase, as a receipt beside the form. */
function Summary({
  plan,
  todayCentavos,
}: {
  plan: SelectedPlan | null
  /** First payment. */
  todayCentavos: bigint | null
}) {
  const { title, ...labels } = texts.summary
  const { kind, firstChargeAt: later, guaranteeUsed } = useSubscription()
  const coupon = plan?.couponCode ?? plan?.couponId
  const today = kind === 'asking' ? null : todayCentavos
  return (
    <aside className={styles.receipt} aria-label={title}>
      <h2>{title}</h2>
      <Bill
        facts={[
          plan && [labels.plan, planName(plan.planId)],
          plan && [labels.interval, intervalOf(plan.interval)?.name],
          coupon && [labels.coupon, coupon],
        ]}
      />
      {today !== null && (
        <Bill
          className={styles.amount}
          facts={[later && [labels.later(formatDate(later)), formatCentavos(today)]]}
          total={[labels.today, later ? 0 : today]}
        />
      )}
      <TrialLine todayCentavos={todayCentavos} />
      {!guaranteeUsed && <p>{labels.guarantee}</p>}
    </aside>
  )
}

/**
 * An open form may have an ended checkout when the visitor returns: expired, or paid in another
 * tab, of this session or of another. `onComplete` is called for a completed one; null turns the
 * check off.
 */
function useRecheckOnFocus(clientSecret: string, onComplete: (() => void) | null): void {
  const sessionId = sessionIdOf(clientSecret)
  const { data: end } = useQuery({
    ...checkoutEndQuery(sessionId),
    enabled: onComplete !== null && sessionId !== null,
    // Open, as it was just made: it is read when the visitor comes back.
    initialData: null,
    refetchOnMount: false,
    refetchOnWindowFocus: 'always',
  })
  useEffect(() => {
    if (end === 'complete') onComplete?.()
    else if (end) location.replace(end)
  }, [end, onComplete])
}

/** From the provider's form to the result page. */
type Completion = 'paying' | 'confirming' | 'paid'

/** The provider may say 'complete' a moment before it says 'paid'. */
const QUESTIONS = 8

/**
 * Follows the completion of the provider's form. It is only a hint: the server is called, and
 * 'checkout_succeeded' is posted only when it says paid.
 */
function useCompletion(clientSecret: string) {
  const [completion, setCompletion] = useState<Completion>('paying')

  const complete = useCallback(async () => {
    setCompletion('confirming')
    const sessionId = sessionIdOf(clientSecret)
    const state = sessionId ? await settled(sessionId) : null
    // Only a page that answers is left to go on by itself: it may have been reloaded, or be
    // elsewhere.
    const opener = (await askOpener(sessionId))?.page ?? null
    // With an opener it is the one that records the end; else before the page goes, but not for
    // long.
    if (!opener) await Promise.race([trackFinish(sessionId), after(SECOND_MS)])
    if (state?.outcome !== 'paid') return leave(opener, paths.paymentAwaited, sessionId)
    // A refunded payment bought nothing: no success is posted.
    if (!opener || state.answer.refundMethod) return leave(opener, paths.paymentSuccess, sessionId)
    opener.postMessage(succeeded(state.answer), location.origin)
    setCompletion('paid')
    setTimeout(() => leave(opener, paths.paymentSuccess, sessionId), CHECKOUT_CLOSE_MS)
  }, [clientSecret])

  return { completion, complete }
}

/**
 * Closes this window, whose opener goes on by itself; a window that stays goes to the result page.
 */
function leave(opener: Window | null, path: Path, sessionId: string | null): void {
  if (opener) window.close()
  setTimeout(() => location.replace(resultAddress(path, sessionId)), opener ? SECOND_MS : 0)
}

async function settled(sessionId: string): Promise<CheckoutState | null> {
  let last: CheckoutState | null = null
  for (let question = 0; question < QUESTIONS; question += 1) {
    if (question > 0) await after(SECOND_MS)
    last = (await askCheckout(sessionId).catch(logFailure('asking for the checkout failed'))) ?? last
    if (last?.outcome === 'paid') return last
    // A boleto is complete and stays unpaid for days.
    if (last?.outcome === 'awaiting' && last.answer.boleto) return last
  }
  return last
}
