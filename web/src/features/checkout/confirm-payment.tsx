import { useQuery as useMethodQuery } from '@connectrpc/connect-query'
import type { Stripe } from '@stripe/stripe-js'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { reasonOf } from '../../api/app-error'
import { call } from '../../api/call'
import { isLive, subscriptionQuery } from '../../api/subscription'
import { planName } from '../../catalog/plan-names'
import {
  BillingService,
  type GetPaymentAuthenticationResponse,
  type GetSubscriptionResponse,
} from '../../gen/garimpo/billing/v1/billing_service_pb'
import { write } from '../../lib/browser-storage'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { usePollInterval } from '../../lib/poll-interval'
import { ManagePlan } from '../../parts/manage-plan'
import { useConfirmedSession, useUid } from '../../session/session'
import { checkout } from '../../texts/checkout'
import { paymentAuthenticationError, confirmPayment as texts } from '../../texts/confirm-payment'
import { Button, ButtonLink } from '../../ui/button'
import { NewTabLink } from '../../ui/new-tab-link'
import { Sieve } from '../../ui/sieve'
import { PageLoading } from '../../ui/spinner'
import { CheckoutCard, CheckoutFrame } from './checkout-card'
import { loadPayments, type PaymentRefusal, refusalOf } from './stripe'
import { useIsSlow } from './use-checkout-status'

const { getPaymentAuthentication } = BillingService.method

const account = (
  <ButtonLink href={paths.account} variant="secondary">
    {texts.account}
  </ButtonLink>
)

/**
 * /confirmar-pagamento: the payer authenticates a renewal or a plan change that the bank did not
 * let pass without them.
 */
export function ConfirmPayment() {
  const { kind } = useConfirmedSession()
  useEffect(() => {
    if (kind === 'none') write('loginRedirectUrl', paths.confirmPayment)
  }, [kind])
  return (
    <CheckoutFrame title={texts.title}>
      {kind === 'loading' && <PageLoading label={texts.loading} />}
      {kind === 'none' && (
        <CheckoutCard title={checkout.restricted.title} text={texts.restricted} art={<Sieve width={180} />}>
          <ButtonLink href={paths.login}>{checkout.restricted.login}</ButtonLink>
        </CheckoutCard>
      )}
      {kind === 'user' && <Payment />}
    </CheckoutFrame>
  )
}

function Payment() {
  const { data: payment, error, isFetching, refetch } = useMethodQuery(getPaymentAuthentication, {})
  // The script loads during the call.
  const script = useQuery({
    queryKey: ['payment script'],
    queryFn: loadPayments,
    meta: { failure: 'the payment script failed' },
  })
  const attempt = useMutation({
    mutationFn: (before: PaymentRefusal | null) => attempted(script.data, payment, before !== null),
  })
  if (attempt.data === null && payment) return <Authenticated payment={payment} />
  if (isFetching) return <PageLoading label={texts.loading} />
  if (error && reasonOf(error) === 'NOT_FOUND') return <Done words={texts.nothing} />
  if (!error && script.isFetching) return <PageLoading label={texts.loading} />
  if (error || script.error || !payment) {
    const retry = () => {
      void refetch()
      void script.refetch()
    }
    return (
      <CheckoutCard
        title={texts.unavailable}
        text={paymentAuthenticationError(reasonOf(error ?? script.error))}
        tone="bad"
      >
        <Button onClick={retry}>{texts.again}</Button>
        <HostedPage url={payment?.hostedInvoiceUrl} />
        {account}
      </CheckoutCard>
    )
  }
  // That of the attempt before stays while another one runs.
  const refusal = (attempt.isPending ? attempt.variables : attempt.data) ?? null
  const amount = formatCentavos(payment.amountCentavos)
  const asked = payment.isPlanChange ? texts.askedForChange : texts.asked
  // A new card does not pay a change: its holder changes the plan again.
  const isChangeRefused = payment.isPlanChange && (refusal === 'declined' || refusal === 'authentication')
  const refused = isChangeRefused ? (`${refusal}Change` as const) : refusal
  const words = refused ? texts.refused[refused] : asked(amount, planName(payment.planId))
  return (
    <div role={refusal ? 'alert' : undefined}>
      <CheckoutCard title={words.title} text={words.text} tone={refusal ? 'bad' : 'plain'}>
        {refusal !== 'declined' && (
          <Button busy={attempt.isPending} onClick={() => attempt.mutate(refusal)}>
            {attempt.isPending ? texts.working : refusal ? texts.again : texts.confirm(amount)}
          </Button>
        )}
        <ManagePlan text={texts.otherCard} variant="secondary" />
        {(refusal === 'failed' || refusal === 'down') && <HostedPage url={payment.hostedInvoiceUrl} />}
        {account}
      </CheckoutCard>
    </div>
  )
}

/** The payment was authenticated: the subscription is read until it is active. */
function Authenticated({ payment }: { payment: GetPaymentAuthenticationResponse }) {
  const uid = useUid()
  const interval = usePollInterval()
  const isSlow = useIsSlow()
  // This call has the server read the provider, also where the provider's event is late.
  const { isFetchedAfterMount } = useMethodQuery(getPaymentAuthentication, {}, { staleTime: 0 })
  const { data } = useQuery({
    ...subscriptionQuery(uid),
    enabled: isFetchedAfterMount,
    refetchInterval: ({ state: { data } }) => !isSettled(data) && interval(),
  })
  if (isSettled(data))
    return (
      <div role="status">
        <Done
          words={payment.isPlanChange ? texts.changed(planName(payment.planId)) : texts.paid}
          tone="good"
        />
      </div>
    )
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

function isSettled(read: GetSubscriptionResponse | undefined): boolean {
  if (!read) return false
  const { subscription, planChangeConfirmation } = read
  return isLive(subscription) && !subscription?.needsAuthentication && !planChangeConfirmation
}

/** There is nothing left to confirm. */
function Done({ words, tone }: { words: { title: string; text: string }; tone?: 'good' }) {
  return (
    <CheckoutCard {...words} tone={tone}>
      <ButtonLink href={paths.account}>{texts.account}</ButtonLink>
    </CheckoutCard>
  )
}

/** The provider's own page of the invoice, which can be paid there as well. */
function HostedPage({ url }: { url: string | undefined }) {
  if (!url) return null
  return (
    <NewTabLink href={url} variant="secondary">
      {texts.hosted}
    </NewTabLink>
  )
}

/**
 * Lets the payer authenticate the payment. Returns why it was not made, null where it was.
 * `isRetry`: after a failed attempt.
 */
async function attempted(
  stripe: Stripe | undefined,
  payment: GetPaymentAuthenticationResponse | undefined,
  isRetry: boolean,
): Promise<PaymentRefusal | null> {
  if (!stripe || !payment) return 'failed'
  try {
    // A failed attempt took the card off the payment: which one it was comes with a fresh read.
    const now = isRetry ? await call(({ billing }) => billing.getPaymentAuthentication({})) : payment
    const { clientSecret, paymentMethodId } = now
    const method = paymentMethodId ? { payment_method: paymentMethodId } : undefined
    return refusalOf(await stripe.confirmCardPayment(clientSecret, method))
  } catch (cause) {
    // Paid or settled in another way meanwhile: the account shows how.
    if (reasonOf(cause) === 'NOT_FOUND') return null
    console.warn('confirming the payment failed', cause)
    return reasonOf(cause) === 'PAYMENTS_DOWN' ? 'down' : 'failed'
  }
}
