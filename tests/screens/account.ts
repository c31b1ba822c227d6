/** What the services return by default: accounts that sign up and in, and the free trial. */
import type { HandlerContext } from '@connectrpc/connect'
import type { Page } from '@playwright/test'

import { AuthService } from '../../web/src/gen/garimpo/auth/v1/auth_service_pb'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { TrackingService } from '../../web/src/gen/garimpo/tracking/v1/tracking_service_pb'
import { UserService } from '../../web/src/gen/garimpo/users/v1/user_service_pb'
import { createAccount, type Person } from '../browser/product'
import { type Backend, refusal } from './backend'
import { accountState, inDays, invoice, offersOf, plans, promotion, subscription } from './messages'

const auth = AuthService.method
const billing = BillingService.method
const tracking = TrackingService.method
const users = UserService.method

interface Account {
  uid: string
  email: string
  password: string
  displayName: string
  profile: { phoneNumber?: string; firstName?: string; lastName?: string; photoUrl?: string }
}

const COOKIE = 'garimpo_session'
/** The checkout session that a purchase creates. */
export const SESSION = 'cs_test_1'

export function implementDefaults(backend: Backend) {
  const accounts = new Map<string, Account>()

  const signedIn = ({ requestHeader }: HandlerContext): Account | undefined => {
    const uid = new RegExp(`${COOKIE}=([^;]+)`).exec(requestHeader.get('cookie') ?? '')?.[1]
    return [...accounts.values()].find((account) => account.uid === uid)
  }
  const required = (context: HandlerContext): Account => {
    const account = signedIn(context)
    if (!account) throw refusal('UNAUTHENTICATED')
    return account
  }
  const setCookie = ({ responseHeader }: HandlerContext, value: string) =>
    responseHeader.set('set-cookie', `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax`)
  const withPassword = (account: Account, password: string) => {
    if (account.password !== password) throw refusal('WRONG_PASSWORD')
  }

  backend.on(auth.getSession, (_, context) => {
    const user = signedIn(context)
    return { authenticated: user !== undefined, user, serverTime: inDays(0) }
  })
  backend.on(auth.signUp, ({ email, password, displayName, phoneNumber }, context) => {
    if (accounts.has(email)) throw refusal('EMAIL_IN_USE')
    const user = { uid: `usr_${accounts.size + 1}`, email, password, displayName, profile: { phoneNumber } }
    accounts.set(email, user)
    setCookie(context, user.uid)
    return { user }
  })
  backend.on(auth.signIn, ({ email, password }, context) => {
    const user = accounts.get(email)
    if (user?.password !== password) throw refusal('INVALID_CREDENTIAL')
    setCookie(context, user.uid)
    return { user }
  })
  backend.on(auth.signOut, (_, context) => {
    context.responseHeader.set('set-cookie', `${COOKIE}=; Path=/; Max-Age=0`)
    return {}
  })
  backend.on(auth.changePassword, ({ currentPassword }, context) => {
    withPassword(required(context), currentPassword)
    return {}
  })
  backend.on(auth.correctEmail, ({ newEmail, password }, context) => {
    const user = required(context)
    withPassword(user, password)
    user.email = newEmail
    return { user }
  })
  backend.on(auth.listSessions, (_, context) => {
    required(context)
    return { sessions: [{ id: 'ses_1', device: 'Chrome no Linux', lastSeenAt: inDays(0), current: true }] }
  })
  for (const method of [auth.requestEmailVerification, auth.revokeSession])
    backend.on(method, (_, context) => {
      required(context)
      return {}
    })
  backend.refuses(auth.confirmEmail, 'EMAIL_CODE_INVALID')
  backend.refuses(auth.checkPasswordReset, 'RESET_CODE_INVALID')
  backend.onPath('/api/password-reset', () => Response.json({ ok: true }))

  backend.on(users.getUser, (_, context) => {
    const { uid, email, displayName, profile } = required(context)
    const { subscription } = backend.state
    const record = {
      subscriptionPlan: subscription?.planId,
      subscriptionActive: subscription?.active,
      subscriptionStatus: subscription?.status,
      subscriptionStart: subscription?.startsAt?.seconds,
      subscriptionEnd: subscription?.endsAt?.seconds,
    }
    return { user: { uid, email, displayName, createdAt: inDays(0), ...profile, ...record } }
  })
  backend.on(users.saveUser, ({ displayName, phoneNumber, firstName, lastName, photoUrl }, context) => {
    const user = required(context)
    user.displayName = displayName
    user.profile = { phoneNumber, firstName, lastName, photoUrl }
    return {}
  })
  backend.returns(users.saveConsent, {})
  backend.returns(users.getConsent, {})
  backend.on(users.exportMyData, (_, context) => ({
    json: JSON.stringify({ account: required(context).email }),
  }))
  backend.returns(users.previewMyDeletion, {})
  backend.on(users.deleteMyAccount, ({ password }, context) => {
    const user = required(context)
    withPassword(user, password)
    accounts.delete(user.email)
    return { protocol: '2026-1130-0001' }
  })

  backend.returns(billing.listPlans, { plans, serverTime: inDays(0) })
  backend.on(billing.getSubscription, (_, context) => {
    required(context)
    return backend.state
  })
  backend.on(billing.listInvoices, () => ({ invoices: backend.state.subscription ? [invoice()] : [] }))
  backend.on(billing.listUpsellOffers, ({ planId }) => offersOf(planId))
  backend.returns(billing.getPromotion, { promotion: promotion() })
  backend.returns(billing.removePromotion, {})
  backend.on(billing.createCheckoutSession, ({ shownPriceCentavos }, context) => {
    required(context)
    return { clientSecret: `${SESSION}_secret_1`, amountTotalCentavos: shownPriceCentavos }
  })
  backend.refuses(billing.getCheckoutSession, 'NOT_FOUND')
  for (const method of [billing.cancelSubscription, billing.resumeSubscription])
    backend.on(method, () => {
      const { subscription } = backend.state
      if (!subscription) throw refusal('NO_SUBSCRIPTION')
      subscription.cancelAtPeriodEnd = method === billing.cancelSubscription
      return { subscription }
    })
  backend.refuses(billing.getPaymentAuthentication, 'NOT_FOUND')

  backend.returns(tracking.trackEvent, {})
  backend.onPath('/api/steps', () => new Response())
  backend.onPath('/api/client-errors', () => new Response())
  backend.onPath('/config.json', () =>
    Response.json({
      checkoutScriptUrl: '/provider.js',
      checkoutPublishableKey: 'pk_test_screens',
      blackNovember: false,
      serverTime: new Date(),
      pixelIds: [],
      captcha: false,
    }),
  )
  backend.onPath(
    '/provider.js',
    () => new Response(PROVIDER, { headers: { 'content-type': 'text/javascript' } }),
  )
}

/** Signs up in this browser, without the form, with this subscription. */
export async function createSubscriber(
  page: Page,
  backend: Backend,
  changes?: Parameters<typeof subscription>[0],
): Promise<Person> {
  backend.state = accountState({ subscription: subscription(changes) })
  return createAccount(page)
}

/** Replaces the provider's script: its form is a paragraph, and the bank authorizes a payment. */
const PROVIDER = `window.Stripe = () => ({
  createEmbeddedCheckoutPage: async ({ onComplete }) => ({
    mount: (place) => {
      place.textContent = 'provider form'
      place.onclick = onComplete
    },
    destroy: () => undefined,
  }),
  confirmCardPayment: async () => ({ paymentIntent: { status: 'succeeded' } }),
})`
