import type { Stripe } from '@stripe/stripe-js'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { reasonOf } from '../../api/app-error'
import { call, logFailure } from '../../api/call'
import { isLive, subscriptionQuery } from '../../api/subscription'
import type {
  GetPaymentAuthenticationResponse,
  GetSubscriptionResponse,
} from '../../gen/garimpo/billing/v1/billing_service_pb'
import { write } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { usePollInterval } from '../../lib/poll-interval'
import { useConfirmedSession, useUid } from '../../session/session'
import { type PaymentRefusal, refusalOf } from './payment-refusal'
import { loadPayments } from './stripe'

/** A payment that can be authenticated here. */
interface Ready {
  kind: 'ready'
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

export type ConfirmationScreen =
  | { kind: 'loading' }
  /** Nobody is signed in. */
  | { kind: 'restricted' }
  | (Ready & Attempt)
  /** The bank said yes; our server has not seen the payment yet. */
  | { kind: 'checking' }
  /** `newPlan`: what a plan change has changed to; null for a renewal. */
  | { kind: 'paid'; newPlan: string | null }
  | { kind: 'nothing' }
  | { kind: 'unavailable'; hostedUrl: string }

/** What /confirmar-pagamento shows, and what its buttons do. */
export function useConfirmPayment() {
  const session = useConfirmedSession()
  const { data, isFetching, refetch } = useQuery({
    queryKey: ['payment to confirm', useUid()],
    queryFn: load,
    enabled: session.kind === 'user',
  })
  const [attempt, setAttempt] = useState<Attempt>({ step: 'none', refusal: null })
  const isPaid = useIsPaid(attempt.step === 'made')
  useEffect(() => {
    if (session.kind === 'none') write('loginRedirectUrl', paths.confirmPayment)
  }, [session.kind])

  const confirm = async () => {
    if (data?.kind !== 'ready' || attempt.step === 'working') return
    setAttempt({ ...attempt, step: 'working' })
    setAttempt(await attempted(data, attempt.refusal !== null))
  }
  const screen = (): ConfirmationScreen => {
    if (session.kind === 'none') return { kind: 'restricted' }
    if (attempt.step === 'made') {
      const changed = data?.kind === 'ready' && data.payment.isPlanChange ? data.payment.planId : null
      return isPaid ? { kind: 'paid', newPlan: changed } : { kind: 'checking' }
    }
    if (!data || isFetching) return { kind: 'loading' }
    return data.kind === 'ready' ? { ...data, ...attempt } : data
  }
  return { screen: screen(), confirm, again: () => void refetch() }
}

async function load(): Promise<Ready | Extract<ConfirmationScreen, { kind: 'nothing' | 'unavailable' }>> {
  // The script loads while the server is asked.
  const script = loadPayments().catch(logFailure('the payment script failed'))
  try {
    const payment = await read()
    const stripe = await script
    if (!stripe) return { kind: 'unavailable', hostedUrl: payment.hostedInvoiceUrl }
    return { kind: 'ready', stripe, payment }
  } catch (cause) {
    if (reasonOf(cause) === 'NOT_FOUND') return { kind: 'nothing' }
    console.warn('reading the payment to confirm failed', cause)
    return { kind: 'unavailable', hostedUrl: '' }
  }
}

function read(): Promise<GetPaymentAuthenticationResponse> {
  return call(({ billing }) => billing.getPaymentAuthentication({}))
}

/**
 * Lets the payer authenticate the payment, and tells how that ended; `again` after a failed
 * attempt.
 */
async function attempted({ stripe, payment }: Ready, again: boolean): Promise<Attempt> {
  const made: Attempt = { step: 'made', refusal: null }
  try {
    // A failed attempt took the card off the payment: which one it was comes with a fresh read.
    const now = again ? await read() : payment
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
