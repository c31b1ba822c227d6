import type { Stripe } from '@stripe/stripe-js'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { AppError, reasonOf } from '../../api/app-error'
import { call, logFailure } from '../../api/call'
import { askCheckout } from '../../api/checkout'
import { isSubscribed } from '../../api/subscription'
import { attributionMessage } from '../../attribution/attribution'
import { adsAllowed, consentMessage } from '../../attribution/consent'
import { FALLBACK_VALUE_CENTAVOS, track } from '../../attribution/tracking'
import { couponRef } from '../../catalog/coupon'
import { intervalOf } from '../../catalog/intervals'
import { planName } from '../../catalog/plan-names'
import { readSelectedPlan, type SelectedPlan, writeSelectedPlan } from '../../catalog/selected-plan'
import { read, write } from '../../lib/browser-storage'
import { sessionIdOf } from '../../lib/checkout-outcome'
import { centavosOf, priceRaw, storedPrice } from '../../lib/money'
import { useToasts } from '../../lib/toasts'
import { forgetPromoCode } from '../../purchase/kept-code'
import { useConfirmedSession } from '../../session/session'
import { type Refusal, refusalOf, checkout as texts } from '../../texts/checkout'
import { askOpener } from './opener'
import { loadPayments } from './stripe'

/** A session that the provider's form can show. */
interface OpenSession {
  clientSecret: string
  /** First payment; null where it is unknown. */
  todayCentavos: bigint | null
}

interface ReadyCheckout extends OpenSession {
  stripe: Stripe
  plan: SelectedPlan | null
  /** Price of each later period; null without a stored plan, and while it is unknown. */
  renewalCentavos: bigint | null
}

interface Refused {
  refusal: Refusal
  plan: SelectedPlan | null
  /** The present price if that is the reason; the one without the coupon if the coupon is. */
  priceCentavos: bigint | null
}

class RefusedCheckout extends Error {
  readonly details: Refused

  constructor(details: Refused) {
    super(details.refusal)
    this.details = details
  }
}

export type CheckoutScreen =
  | { kind: 'loading' }
  /** Nobody is signed in. */
  | { kind: 'restricted' }
  | ({ kind: 'ready' } & ReadyCheckout)
  | ({ kind: 'refused' } & Refused)

/** State of /checkout. Opening it creates a session at the provider. */
export function useCheckout() {
  const session = useConfirmedSession()
  const { show } = useToasts()
  const email = session.kind === 'user' ? session.user.email : null
  const {
    data,
    error,
    mutate: open,
  } = useMutation<ReadyCheckout, RefusedCheckout, string>({
    mutationFn: load,
    onError: ({ details }) => {
      if (details.refusal === 'setup')
        show({ kind: 'error', title: texts.error.title, description: texts.error.toast })
    },
  })
  // In development React runs an effect again, and each run would create a session at the provider.
  const openedFor = useRef<string>(undefined)
  useEffect(() => {
    if (!email || email === openedFor.current) return
    openedFor.current = email
    open(email)
  }, [email, open])
  const screen = (): CheckoutScreen => {
    if (session.kind === 'none') return { kind: 'restricted' }
    if (error) return { kind: 'refused', ...error.details }
    return data ? { kind: 'ready', ...data } : { kind: 'loading' }
  }

  const retry = () => email && open(email)

  /** Goes on at another price, which the visitor has just been shown. */
  const accept = (plan: SelectedPlan, priceCentavos: bigint | null, coupon: 'keep' | 'drop') => {
    if (coupon === 'drop') forgetPromoCode()
    writeSelectedPlan({
      ...plan,
      ...(coupon === 'drop' && { couponCode: null, couponId: null }),
      ...(priceCentavos !== null && {
        price: storedPrice(priceCentavos),
        priceRaw: priceRaw(priceCentavos),
      }),
    })
    retry()
  }
  return { screen: screen(), retry, accept }
}

async function load(email: string): Promise<ReadyCheckout> {
  // With blocked storage the page that opened this tab sends the choice.
  const plan = readSelectedPlan() ?? (await askOpener(null))?.plan ?? null
  // The script loads while the session is made.
  const payments = loadPayments().catch(logFailure('the payment script failed'))
  const [opened, renewalCentavos] = await Promise.all([
    openSession(email, plan).catch(async (cause) => {
      throw await refusedCheckout(cause, plan)
    }),
    plan && priceOf(plan),
  ])
  void askOpener(sessionIdOf(opened.clientSecret))
  const stripe = await payments
  if (!stripe) throw new RefusedCheckout({ refusal: 'setup', plan, priceCentavos: null })
  return { ...opened, stripe, plan, renewalCentavos }
}

/** The request when nothing is stored: this plan is not for sale, so the server refuses it. */
const NOTHING_STORED = { planId: 'profissional', interval: 'monthly', couponId: null, couponCode: null }

/**
 * A session for the stored plan; without one, an open session of this account is taken up again.
 */
async function openSession(email: string, plan: SelectedPlan | null): Promise<OpenSession> {
  const resumed = plan ? null : await resume(email)
  if (resumed) return resumed
  const { clientSecret, amountTotalCentavos } = await create(email, plan)
  write('checkoutClientSecret', clientSecret)
  const shown = plan && centavosOf(plan.priceRaw)
  // The session may ask for less than was shown. A server of the version before
  // returns no amount.
  const today = shown === null ? null : amountTotalCentavos || shown
  void track({
    name: 'checkout_iniciado',
    key: sessionIdOf(clientSecret) ?? clientSecret,
    purchase: {
      plan: plan ? planName(plan.planId) : NOTHING_STORED.planId,
      interval: plan?.interval ?? NOTHING_STORED.interval,
      valueCentavos: today ?? FALLBACK_VALUE_CENTAVOS,
    },
  })
  return { clientSecret, todayCentavos: today }
}

async function create(email: string, plan: SelectedPlan | null) {
  const stored = plan ?? NOTHING_STORED
  const shown = plan ? centavosOf(plan.priceRaw) : null
  const opened = await call(({ billing }) =>
    billing.createCheckoutSession({
      email,
      planName: stored.planId,
      interval: stored.interval,
      couponId: couponRef(stored),
      shownPriceCentavos: shown ?? undefined,
      consent: consentMessage(),
      attribution: attributionMessage(adsAllowed()),
    }),
  )
  if (!opened.clientSecret) throw new AppError('INTERNAL')
  return opened
}

/** An open checkoutClientSecret of this account goes on. */
async function resume(email: string): Promise<OpenSession | null> {
  const clientSecret = read('checkoutClientSecret')
  const sessionId = sessionIdOf(clientSecret)
  if (!clientSecret || !sessionId) return null
  try {
    const { outcome, answer } = await askCheckout(sessionId)
    if (outcome !== 'open' || answer.customerEmail.toLowerCase() !== email.toLowerCase()) return null
    return { clientSecret, todayCentavos: answer.amountTotalCentavos || null }
  } catch {
    return null
  }
}

/** What the server lists for the plan, without any coupon; null when it is unknown. */
async function priceOf({ planId, interval }: SelectedPlan): Promise<bigint | null> {
  const answer = await call(({ billing }) => billing.listPlans({})).catch(() => null)
  const prices = answer?.plans.find(({ id }) => id === planId)?.prices
  const period = intervalOf(interval)?.id
  return prices?.find((price) => price.interval === period)?.priceCentavos ?? null
}

async function refusedCheckout(cause: unknown, plan: SelectedPlan | null): Promise<RefusedCheckout> {
  const reason = reasonOf(cause)
  const refusal = !plan && reason === 'PLAN_NOT_FOR_SALE' ? 'unchosen' : refusalOf(reason)
  const refused = (refusal: Refusal, priceCentavos: bigint | null = null) =>
    new RefusedCheckout({ refusal, plan, priceCentavos })
  if (refusal === 'price') {
    const now = cause instanceof AppError ? cause.metadata.price_centavos : undefined
    return now && /^\d+$/.test(now) ? refused('price', BigInt(now)) : refused('setup')
  }
  if (refusal === 'setup' || refusal === 'down' || refusal === 'unchosen') {
    if (refusal !== 'unchosen') console.warn('Falha ao criar sessão de checkout', cause)
    // For a subscriber this comes first, whatever else is wrong with the request.
    if (await isSubscribed().catch(() => false)) return refused('subscribed')
  }
  return refused(refusal, refusal === 'coupon' && plan ? await priceOf(plan) : null)
}
