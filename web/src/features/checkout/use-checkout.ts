import type { Stripe } from '@stripe/stripe-js'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
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
import type { PlanPrice } from '../../gen/garimpo/billing/v1/billing_service_pb'
import type { PlanInterval } from '../../gen/garimpo/billing/v1/plan_pb'
import { read, write } from '../../lib/browser-storage'
import { sessionIdOf } from '../../lib/checkout-outcome'
import { centavosOf, priceRaw, storedPrice } from '../../lib/money'
import { useToasts } from '../../lib/toasts'
import { forgetPromoCode } from '../../purchase/kept-code'
import { useConfirmedSession } from '../../session/session'
import { type Refusal, refusalOf, checkout as texts } from '../../texts/checkout'
import { askOpener } from './opener'
import { loadPayments } from './stripe'

export type CheckoutScreen =
  | { kind: 'loading' }
  /** Nobody is signed in. */
  | { kind: 'restricted' }
  | (Extract<Opened, { kind: 'ready' }> & {
      stripe: Stripe
      plan: SelectedPlan | null
      /** What each later period costs; null without a stored plan, and while it is unknown. */
      renewalCentavos: bigint | null
    })
  | (Extract<Opened, { kind: 'refused' }> & { plan: SelectedPlan | null })

/** What /checkout shows. Opening it creates a session at the provider. */
export function useCheckout() {
  const session = useConfirmedSession()
  const { show } = useToasts()
  const email = session.kind === 'user' ? session.user.email : null
  const { data, mutate: open } = useMutation({
    mutationFn: load,
    onSuccess: (opened) => {
      if (opened.kind === 'refused' && opened.refusal === 'setup')
        show({ kind: 'error', title: texts.error.title, description: texts.error.toast })
    },
  })
  useEffect(() => {
    if (email) open(email)
  }, [email, open])
  const screen: CheckoutScreen =
    session.kind === 'none' ? { kind: 'restricted' } : (data ?? { kind: 'loading' })

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
  return { screen, retry, accept }
}

async function load(email: string): Promise<CheckoutScreen> {
  // With blocked storage the page that opened this tab sends the choice.
  const plan = readSelectedPlan() ?? (await askOpener(null))?.plan ?? null
  // The script loads while the session is made.
  const payments = loadPayments().catch(logFailure('the payment script failed'))
  const [opened, renewalCentavos] = await Promise.all([openSession(email, plan), plan && priceOf(plan)])
  if (opened.kind === 'refused') return { ...opened, plan }
  void askOpener(sessionIdOf(opened.clientSecret))
  const stripe = await payments
  if (!stripe) return { kind: 'refused', refusal: 'setup', priceCentavos: null, plan }
  return { ...opened, stripe, plan, renewalCentavos }
}

/** A checkout that can be shown, or why not. */
type Opened =
  | { kind: 'ready'; clientSecret: string; todayCentavos: bigint | null }
  /**
   * With the price of now, where that is the reason; with the one without the coupon, where the
   * coupon is.
   */
  | { kind: 'refused'; refusal: Refusal; priceCentavos: bigint | null }

/** The request when nothing is stored: this plan is not for sale, so the server refuses it. */
const NOTHING_STORED = { planId: 'profissional', interval: 'monthly', couponId: null, couponCode: null }

/**
 * A session for the stored plan; without one, an open session of this account is taken up again.
 */
async function openSession(email: string, plan: SelectedPlan | null): Promise<Opened> {
  try {
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
    return { kind: 'ready', clientSecret, todayCentavos: today }
  } catch (cause) {
    return await refused(cause, plan)
  }
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
async function resume(email: string): Promise<Opened | null> {
  const clientSecret = read('checkoutClientSecret')
  const sessionId = sessionIdOf(clientSecret)
  if (!clientSecret || !sessionId) return null
  try {
    const { outcome, answer } = await askCheckout(sessionId)
    if (outcome !== 'open' || answer.customerEmail.toLowerCase() !== email.toLowerCase()) return null
    return { kind: 'ready', clientSecret, todayCentavos: answer.amountTotalCentavos || null }
  } catch {
    return null
  }
}

/** What the plan costs without any coupon, as the server says now; null when it is unknown. */
async function priceOf(plan: SelectedPlan): Promise<bigint | null> {
  const interval = intervalOf(plan.interval)
  return (interval && (await listedPrice(plan.planId, interval.id))?.priceCentavos) ?? null
}

async function refused(cause: unknown, plan: SelectedPlan | null): Promise<Opened> {
  const reason = reasonOf(cause)
  const refusal = !plan && reason === 'PLAN_NOT_FOR_SALE' ? 'unchosen' : refusalOf(reason)
  if (refusal === 'price') {
    const now = cause instanceof AppError ? cause.metadata.price_centavos : undefined
    if (now && /^\d+$/.test(now)) return { kind: 'refused', refusal, priceCentavos: BigInt(now) }
    return { kind: 'refused', refusal: 'setup', priceCentavos: null }
  }
  const priceCentavos = refusal === 'coupon' && plan ? await priceOf(plan) : null
  if (refusal === 'setup' || refusal === 'down' || refusal === 'unchosen') {
    if (refusal !== 'unchosen') console.warn('Falha ao criar sessão de checkout', cause)
    // For a subscriber this comes first, whatever else is wrong with the request.
    const subscribed = await isSubscribed().catch(() => false)
    if (subscribed) return { kind: 'refused', refusal: 'subscribed', priceCentavos }
  }
  return { kind: 'refused', refusal, priceCentavos }
}

/** What the server lists for an interval of a plan, null without one, and without an answer. */
async function listedPrice(planId: string, interval: PlanInterval): Promise<PlanPrice | null> {
  try {
    const { plans } = await call(({ billing }) => billing.listPlans({}))
    const plan = plans.find(({ id }) => id === planId)
    return plan?.prices.find((price) => price.interval === interval) ?? null
  } catch {
    return null
  }
}
