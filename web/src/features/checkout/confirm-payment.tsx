import type { Stripe } from '@stripe/stripe-js'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { reasonOf } from '../../api/app-error'
import { call, logFailure } from '../../api/call'
import { isLive, subscriptionQuery } from '../../api/subscription'
import { planName } from '../../catalog/plan-names'
import type {
  GetPaymentAuthenticationResponse,
  GetSubscriptionResponse,
} from '../../gen/garimpo/billing/v1/billing_service_pb'
import { write } from '../../lib/browser-storage'
import type { Elements } from '../../lib/elements'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { usePollInterval } from '../../lib/poll-interval'
import { ManagePlan } from '../../parts/manage-plan'
import { useConfirmedSession, useUid } from '../../session/session'
import { checkout } from '../../texts/checkout'
import { confirmPayment as texts } from '../../texts/confirm-payment'
import { Button, ButtonLink } from '../../ui/button'
import { EmptySieve } from '../../ui/empty-sieve'
import { NewTabLink } from '../../ui/new-tab-link'
import { PageLoading } from '../../ui/spinner'
import { CheckoutCard, CheckoutFrame } from './checkout-card'
import { loadPayments, type PaymentRefusal, refusalOf } from './stripe'
import { useIsSlow } from './use-checkout-status'

/**
 * /confirmar-pagamento: the payer authenticates a renewal or a plan change that the bank did not
 * let pass without them.
 */
export function ConfirmPayment() {
  return (
    <CheckoutFrame title={texts.title}>
      <Screen />
    </CheckoutFrame>
  )
}

function Screen() {
  const { screen, confirm, retry } = useConfirmPayment()
  const account = (
    <ButtonLink href={paths.account} variant="secondary">
      {texts.account}
    </ButtonLink>
  )
  if (screen.kind === 'loading') return <PageLoading label={texts.loading} />
  if (screen.kind === 'restricted')
    return (
      <CheckoutCard title={checkout.restricted.title} text={texts.restricted} art={<EmptySieve />}>
        <ButtonLink href={paths.login}>{checkout.restricted.login}</ButtonLink>
      </CheckoutCard>
    )
  if (screen.kind === 'checking') return <Checking account={account} />
  if (screen.kind === 'paid' || screen.kind === 'nothing') {
    const isPaid = screen.kind === 'paid'
    const words =
      screen.kind === 'paid' && screen.newPlan ? texts.changed(planName(screen.newPlan)) : texts[screen.kind]
    return (
      <div role={isPaid ? 'status' : undefined}>
        <CheckoutCard {...words} tone={isPaid ? 'good' : 'plain'}>
          <ButtonLink href={paths.account}>{texts.account}</ButtonLink>
        </CheckoutCard>
      </div>
    )
  }
  if (screen.kind === 'unavailable')
    return (
      <CheckoutCard title={texts.unavailable.title} text={texts.unavailable.text} tone="bad">
        <Button onClick={retry}>{texts.again}</Button>
        <HostedPage url={screen.hostedUrl} />
        {account}
      </CheckoutCard>
    )
  const { payment, refusal } = screen
  const isWorking = screen.step === 'working'
  const amount = formatCentavos(payment.amountCentavos)
  const asked = payment.isPlanChange ? texts.askedForChange : texts.asked
  const refused = refusal === 'declined' && payment.isPlanChange ? 'declinedChange' : refusal
  const words = refused ? texts.refused[refused] : asked(amount, planName(payment.planId))
  return (
    <div role={refusal ? 'alert' : undefined}>
      <CheckoutCard title={words.title} text={words.text} tone={refusal ? 'bad' : 'plain'}>
        {refusal !== 'declined' && (
          <Button busy={isWorking} onClick={confirm}>
            {isWorking ? texts.working : refusal ? texts.again : texts.confirm(amount)}
          </Button>
        )}
        <ManagePlan text={texts.otherCard} variant="secondary" />
        {refusal === 'failed' && <HostedPage url={payment.hostedInvoiceUrl} />}
        {account}
      </CheckoutCard>
    </div>
  )
}

function Checking({ account }: { account: Elements }) {
  const isSlow = useIsSlow()
  return (
    <>
      <PageLoading label={texts.checking} />
      {isSlow && (
        <div role="status">
          <CheckoutCard title={texts.slow.title} text={texts.slow.text}>
            {account}
          </CheckoutCard>
        </div>
      )}
    </>
  )
}

/** The provider's own page of the invoice, which can be paid there as well. */
function HostedPage({ url }: { url: string }) {
  if (!url) return null
  return (
    <NewTabLink href={url} variant="secondary">
      {texts.hosted}
    </NewTabLink>
  )
}

/** A payment that can be authenticated here. */
interface Ready {
  stripe: Stripe
  payment: GetPaymentAuthenticationResponse
}

/** What the payer has tried so far. */
interface Attempt {
  step: 'none' | 'working' | 'made'
  refusal: PaymentRefusal | null
  /** The payment as it was read for this attempt. */
  payment?: GetPaymentAuthenticationResponse
}

type ConfirmationScreen =
  | { kind: 'loading' }
  /** Nobody is signed in. */
  | { kind: 'restricted' }
  | ({ kind: 'ready' } & Ready & Attempt)
  /** The bank said yes; our server has not seen the payment yet. */
  | { kind: 'checking' }
  /** `newPlan`: what a plan change has changed to; null for a renewal. */
  | { kind: 'paid'; newPlan: string | null }
  | { kind: 'nothing' }
  | { kind: 'unavailable'; hostedUrl: string }

/** What /confirmar-pagamento shows, and what its buttons do. */
function useConfirmPayment() {
  const session = useConfirmedSession()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['payment to confirm', useUid()],
    queryFn: load,
    enabled: session.kind === 'user',
  })
  const ready = data?.stripe ? { stripe: data.stripe, payment: data.payment } : null
  const [attempt, setAttempt] = useState<Attempt>({ step: 'none', refusal: null })
  const isPaid = useIsPaid(attempt.step === 'made')
  useEffect(() => {
    if (session.kind === 'none') write('loginRedirectUrl', paths.confirmPayment)
  }, [session.kind])

  const confirm = async () => {
    if (!ready || attempt.step === 'working') return
    setAttempt({ ...attempt, step: 'working' })
    setAttempt(await attempted(ready, attempt.refusal !== null))
  }
  const screen = (): ConfirmationScreen => {
    if (session.kind === 'none') return { kind: 'restricted' }
    if (attempt.step === 'made') {
      const changed = ready?.payment.isPlanChange ? ready.payment.planId : null
      return isPaid ? { kind: 'paid', newPlan: changed } : { kind: 'checking' }
    }
    if (isFetching || (!data && !error)) return { kind: 'loading' }
    if (error && reasonOf(error) === 'NOT_FOUND') return { kind: 'nothing' }
    if (error || !ready) return { kind: 'unavailable', hostedUrl: data?.payment.hostedInvoiceUrl ?? '' }
    return { kind: 'ready', ...ready, ...attempt }
  }
  return { screen: screen(), confirm, retry: () => void refetch() }
}

async function load() {
  // The script loads during the call.
  const script = loadPayments().catch(logFailure('the payment script failed'))
  return { payment: await read(), stripe: await script }
}

function read(): Promise<GetPaymentAuthenticationResponse> {
  return call(({ billing }) => billing.getPaymentAuthentication({}))
}

/**
 * Lets the payer authenticate the payment, and returns the result. `isRetry`: after a failed
 * attempt.
 */
async function attempted({ stripe, payment }: Ready, isRetry: boolean): Promise<Attempt> {
  const made: Attempt = { step: 'made', refusal: null }
  try {
    // A failed attempt took the card off the payment: which one it was comes with a fresh read.
    const now = isRetry ? await read() : payment
    const { clientSecret, paymentMethodId } = now
    const result = await stripe.confirmCardPayment(
      clientSecret,
      paymentMethodId ? { payment_method: paymentMethodId } : undefined,
    )
    const refusal = refusalOf(result)
    return refusal ? { step: 'none', refusal, payment: now } : made
  } catch (cause) {
    // Paid or settled in another way meanwhile: the account says how.
    if (reasonOf(cause) === 'NOT_FOUND') return made
    console.warn('confirming the payment failed', cause)
    return { step: 'none', refusal: 'failed' }
  }
}

/** Once the payment is `made`: whether the subscription runs, asked until it does. */
function useIsPaid(made: boolean): boolean {
  const uid = useUid()
  const interval = usePollInterval()
  // This call has the server read the provider, also where the provider's event is late.
  const { isFetched } = useQuery({
    queryKey: ['made payment', uid],
    queryFn: () => read().catch(() => null),
    enabled: made,
  })
  const { data } = useQuery({
    ...subscriptionQuery(uid),
    enabled: isFetched,
    refetchInterval: ({ state: { data } }) => !(data && isSettled(data)) && interval(),
  })
  return data !== undefined && isSettled(data)
}

function isSettled({ subscription, planChangeConfirmation }: GetSubscriptionResponse): boolean {
  return isLive(subscription) && !subscription?.needsAuthentication && !planChangeConfirmation
}
