import { useQuery } from '@connectrpc/connect-query'
import { useEffect } from 'react'
import { type Location, useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { isFirstChargeSet } from '../../api/subscription'
import { intervalOf } from '../../catalog/intervals'
import { planName } from '../../catalog/plan-names'
import {
  BillingService,
  type GetCheckoutSessionResponse,
  type ListInvoicesResponse,
  type Subscription,
} from '../../gen/garimpo/billing/v1/billing_service_pb'
import { clearPurchase } from '../../lib/browser-storage'
import { resultAddress } from '../../lib/checkout-outcome'
import { formatDate, formatMoment, toDate } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { useSubscription } from '../../purchase/use-subscription'
import { useUid } from '../../session/session'
import { brand } from '../../texts/brand'
import { paymentSuccess as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import type { Fact } from '../../ui/facts'
import { NextSteps } from '../../ui/next-steps'
import { Result, ResultActions, ResultFacts } from '../../ui/result'
import { PageLoading } from '../../ui/spinner'
import { purchaseNamedIn } from './address-of-purchase'
import { Subscribed, UnknownPayment } from './other-outcomes'
import { useCheckoutStatus, useIsSlow } from './use-checkout-status'

const { listInvoices } = BillingService.method

/** History state that /payment-awaited passes for a payment without a session id. */
export interface PaidState {
  paid: true
}

/**
 * /payment-success: the payment, as the server has it. The address names the session, or the
 * subscription.
 */
export function PaymentSuccess() {
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const sessionId = query.get('session_id')
  const status = useCheckoutStatus(sessionId)
  const isSlow = useIsSlow()
  const outcome = status.kind === 'known' ? status.outcome : null

  useEffect(() => {
    if (outcome === 'awaiting') navigate(resultAddress(paths.paymentAwaited, sessionId), { replace: true })
    if (outcome === 'paid') clearPurchase(sessionId)
  }, [outcome, sessionId, navigate])

  if (!sessionId) return <WithoutSession />
  if (status.kind === 'asking' || outcome === 'awaiting')
    return <PageLoading label={isSlow ? texts.slow : texts.confirming} />
  if (status.kind === 'known' && outcome === 'paid') {
    const Paid = status.answer.refundMethod ? Returned : Bought
    return <Paid checkout={status.answer} />
  }
  return <UnknownPayment />
}

/**
 * An address without a session names no payment: it is confirmed only where /payment-awaited saw it
 * arrive. Its plan, period and price are shown where the subscription has them too.
 */
function WithoutSession() {
  const { kind, subscription } = useSubscription()
  const { state, search }: Location<PaidState | null> = useLocation()
  if (kind === 'asking') return <PageLoading label={texts.confirming} />
  if (kind === 'inactive') return <UnknownPayment />
  if (!state?.paid) {
    const named = purchaseNamedIn(new URLSearchParams(search), subscription)
    if (!named) return <Subscribed />
    const price = named.priceCentavos !== null && formatCentavos(named.priceCentavos)
    return <Subscribed facts={[...factsOfPlan(subscription), price && [texts.periodPrice, price]]} />
  }
  return <Confirmed subscription={subscription} facts={factsOfPlan(subscription)} />
}

/** The purchase; nothing is paid yet if the first charge is set for the end of the trial. */
function Bought({ checkout }: { checkout: GetCheckoutSessionResponse }) {
  const own = useSubscription()
  if (own.kind === 'asking') return <PageLoading label={texts.confirming} />
  const subscription = own.kind === 'active' ? own.subscription : undefined
  const price = isFirstChargeSet(subscription) ? texts.set.price : texts.price
  return <Confirmed subscription={subscription} facts={factsOf(checkout, price)} />
}

function Confirmed({
  subscription,
  facts,
}: {
  subscription: Subscription | undefined
  facts: readonly Fact[]
}) {
  const { title, text } = isFirstChargeSet(subscription) ? texts.set : texts
  return (
    <Result mark="nugget" title={title} text={text}>
      <ResultFacts facts={[...facts, ...datesOf(subscription)]} />
      <ResultActions>
        <ButtonLink href={brand.links.app_login}>{texts.app}</ButtonLink>
        <ButtonLink to={paths.account} variant="secondary">
          {texts.account}
        </ButtonLink>
        <Receipt />
      </ResultActions>
      <NextSteps />
    </Result>
  )
}

/** When the next charge comes, and until when the guarantee holds. */
function datesOf(subscription: Subscription | undefined): Fact[] {
  if (!subscription) return []
  const next = toDate(subscription.endsAt)
  const guarantee = toDate(subscription.refundableUntil)
  return [
    next && !isFirstChargeSet(subscription) && [texts.next, nextCharge(subscription, formatDate(next))],
    guarantee && [texts.guarantee, formatMoment(guarantee)],
  ]
}

/**
 * After a first month at a lower price the amount is another one. Only credit makes it less than
 * the plan's price.
 */
function nextCharge({ nextPaymentCentavos: amount, priceCentavos }: Subscription, date: string): string {
  if (amount === undefined) return date
  const next = texts.nextValue(formatCentavos(amount), date)
  return amount < priceCentavos ? texts.withCredit(next) : next
}

/** The second of two payments: an account has one subscription, so it goes back. */
function Returned({ checkout }: { checkout: GetCheckoutSessionResponse }) {
  const { title, by, price } = texts.returned
  return (
    <Result mark="sieve" title={title} text={by[checkout.refundMethod ?? ''] ?? ''}>
      <ResultFacts facts={factsOf(checkout, price)} />
      <ResultActions>
        <ButtonLink to={paths.account}>{texts.account}</ButtonLink>
      </ResultActions>
    </Result>
  )
}

function factsOf(checkout: GetCheckoutSessionResponse, price: string): Fact[] {
  return [...factsOfPlan(checkout), [price, formatCentavos(checkout.amountTotalCentavos)]]
}

/** Without the amount, because an address may name any. */
function factsOfPlan({ planId, interval }: Pick<Subscription, 'planId' | 'interval'>): Fact[] {
  return [
    [texts.plan, planName(planId)],
    [texts.interval, intervalOf(interval)?.name],
  ]
}

/** The receipt of the payment that was just made, once the account has it. */
function Receipt() {
  const enabled = useUid() !== null
  const { data: receipt } = useQuery(
    listInvoices,
    { pageSize: 1, pageToken: '' },
    { enabled, select: receiptOf },
  )
  if (!receipt) return null
  return (
    <ButtonLink href={receipt} target="_blank" rel="noopener" variant="quiet">
      {texts.receipt}
    </ButtonLink>
  )
}

/** Address of the newest invoice's receipt; empty where it was not paid. */
function receiptOf({ invoices: [last] }: ListInvoicesResponse): string {
  return last?.status === 'paid' ? last.receiptUrl : ''
}
