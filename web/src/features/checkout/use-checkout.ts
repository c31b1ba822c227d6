import type { Stripe } from '@stripe/stripe-js'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { logFailure } from '../../api/call'
import { readSelectedPlan, type SelectedPlan, writeSelectedPlan } from '../../catalog/selected-plan'
import { sessionIdOf } from '../../lib/checkout-outcome'
import { priceRaw, storedPrice } from '../../lib/money'
import { useToasts } from '../../lib/toasts'
import { forgetPromoCode } from '../../purchase/kept-code'
import { useConfirmedSession } from '../../session/session'
import { checkout as texts } from '../../texts/checkout'
import { type Opened, openSession, priceOf } from './open-session'
import { askOpener } from './opener'
import { loadPayments } from './stripe'

export type CheckoutScreen =
  | { kind: 'loading' }
  /** Nobody is signed in. */
  | { kind: 'restricted' }
  | (Extract<Opened, { kind: 'ready' }> & {
      stripe: Stripe
      plan: SelectedPlan | null
      /** What each later period costs; null without a stored plan, and while it cannot be told. */
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

  const again = () => email && open(email)

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
    again()
  }
  return { screen, again, accept }
}

async function load(email: string): Promise<CheckoutScreen> {
  // A page with blocked storage cannot leave its choice there; it tells it.
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
