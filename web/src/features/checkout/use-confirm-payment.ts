import type { PaymentIntentResult, Stripe } from '@stripe/stripe-js'
import { useCallback, useEffect, useState } from 'react'
import { reasonOf } from '../../api/app-error'
import { call } from '../../api/call'
import { isLive, readSubscription } from '../../api/subscription'
import type { GetPaymentAuthenticationResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { write } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { CHECKOUT_POLL_MS, RETURN_PATIENCE_MS } from '../../lib/timers'
import { useConfirmedSession } from '../../session/session'
import { loadPayments } from './stripe'

/** Why the payment was not made: no authentication, declined by the bank, or the provider did not answer. */
export type PaymentRefusal = 'authentication' | 'declined' | 'failed'

export type ConfirmationScreen =
  | { kind: 'loading' }
  /** Nobody is signed in. */
  | { kind: 'restricted' }
  | {
      kind: 'ready'
      stripe: Stripe
      payment: GetPaymentAuthenticationResponse
      refusal: PaymentRefusal | null
      isWorking: boolean
    }
  /** The bank said yes; our server has not seen the payment yet. */
  | { kind: 'checking'; isSlow: boolean }
  | { kind: 'paid' }
  | { kind: 'nothing' }
  | { kind: 'unavailable'; hostedUrl: string }

/** What /confirmar-pagamento shows, and what its buttons do. */
export function useConfirmPayment() {
  const session = useConfirmedSession()
  const [screen, setScreen] = useState<ConfirmationScreen>({ kind: 'loading' })
  const [asked, setAsked] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` asks once more
  useEffect(() => {
    if (session.kind === 'none') {
      write('loginRedirectUrl', paths.confirmPayment)
      setScreen({ kind: 'restricted' })
    }
    if (session.kind !== 'user') return
    let wanted = true
    setScreen({ kind: 'loading' })
    load().then((loaded) => wanted && setScreen(loaded))
    return () => {
      wanted = false
    }
  }, [session.kind, asked])

  const isChecking = screen.kind === 'checking'
  useEffect(() => {
    if (!isChecking) return
    return waitUntilPaid(
      () => setScreen({ kind: 'paid' }),
      () => setScreen({ kind: 'checking', isSlow: true }),
    )
  }, [isChecking])

  const confirm = useCallback(async () => {
    if (screen.kind !== 'ready' || screen.isWorking) return
    setScreen({ ...screen, isWorking: true })
    setScreen(await confirmed(screen))
  }, [screen])

  const again = useCallback(() => setAsked((count) => count + 1), [])
  return { screen, confirm, again }
}

async function load(): Promise<ConfirmationScreen> {
  // The script loads while the server is asked.
  const script = loadPayments().catch((cause: unknown) => {
    console.warn('the payment script failed', cause)
    return null
  })
  try {
    const payment = await read()
    const stripe = await script
    if (!stripe) return { kind: 'unavailable', hostedUrl: payment.hostedInvoiceUrl }
    return { kind: 'ready', stripe, payment, refusal: null, isWorking: false }
  } catch (cause) {
    if (reasonOf(cause) === 'NOT_FOUND') return { kind: 'nothing' }
    console.warn('reading the payment to confirm failed', cause)
    return { kind: 'unavailable', hostedUrl: '' }
  }
}

function read(): Promise<GetPaymentAuthenticationResponse> {
  return call(({ billing }) => billing.getPaymentAuthentication({}))
}

/** Lets the payer authenticate the payment, and tells how that ended. */
async function confirmed(
  screen: Extract<ConfirmationScreen, { kind: 'ready' }>,
): Promise<ConfirmationScreen> {
  let { payment } = screen
  const refused = (refusal: PaymentRefusal): ConfirmationScreen => ({
    ...screen,
    payment,
    refusal,
    isWorking: false,
  })
  try {
    // A failed attempt took the card off the payment: which one it was comes with a fresh read.
    if (screen.refusal) payment = await read()
    const { clientSecret, paymentMethodId } = payment
    const result = await screen.stripe.confirmCardPayment(
      clientSecret,
      paymentMethodId ? { payment_method: paymentMethodId } : undefined,
    )
    const refusal = refusalOf(result)
    return refusal ? refused(refusal) : { kind: 'checking', isSlow: false }
  } catch (cause) {
    // Paid or settled in another way meanwhile: the account says how.
    if (reasonOf(cause) === 'NOT_FOUND') return { kind: 'checking', isSlow: false }
    console.warn('confirming the payment failed', cause)
    return refused('failed')
  }
}

/** Null where the payment was made, now or before. */
export function refusalOf({ error, paymentIntent }: PaymentIntentResult): PaymentRefusal | null {
  const status = (paymentIntent ?? error?.payment_intent)?.status
  if (status === 'succeeded' || status === 'processing') return null
  if (!error) return 'authentication'
  const authentication = ['payment_intent_authentication_failure', 'authentication_required']
  if ([error.code, error.decline_code].some((code) => code && authentication.includes(code)))
    return 'authentication'
  return error.type === 'card_error' ? 'declined' : 'failed'
}

/** Asks until the subscription runs. Returns what ends the asking. */
function waitUntilPaid(onPaid: () => void, onSlow: () => void): () => void {
  let wanted = true
  let timer: ReturnType<typeof setTimeout> | undefined
  const slow = setTimeout(() => wanted && onSlow(), RETURN_PATIENCE_MS)
  const look = async () => {
    try {
      const { subscription } = await readSubscription()
      if (!wanted) return
      if (isLive(subscription) && !subscription?.needsAuthentication) return onPaid()
    } catch (cause) {
      console.warn('asking for the subscription failed', cause)
    }
    if (wanted) timer = setTimeout(look, CHECKOUT_POLL_MS)
  }
  // This call has the server read the provider, also where the provider's event is late.
  void read()
    .catch(() => undefined)
    .then(() => (wanted ? look() : undefined))
  return () => {
    wanted = false
    clearTimeout(timer)
    clearTimeout(slow)
  }
}
