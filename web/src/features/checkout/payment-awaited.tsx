import { useEffect } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { type Outcome, resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import type { Elements } from '../../lib/elements'
import { paths } from '../../lib/paths'
import { useStored } from '../../lib/use-stored'
import { BoletoSlip } from '../../parts/boleto'
import { TrialLeft } from '../../parts/trial'
import { paymentAwaited as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import { NewTabLink } from '../../ui/new-tab-link'
import { Result, ResultActions } from '../../ui/result'
import { supportLink } from '../../ui/support-link'
import { CheckingPayment, Subscribed, UnknownPayment } from './other-outcomes'
import type { PaidState } from './payment-success'
import { type CheckoutStatus, useCheckoutStatus, useSubscriptionOrBoleto } from './use-checkout-status'

const trial = <TrialLeft text={texts.trial} />

const keepPolling = (outcome: Outcome) => outcome === 'awaiting' || outcome === 'open'

/** /payment-awaited: the boleto to pay; moves on by itself once it is paid. */
export function PaymentAwaited() {
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const named = query.get('session_id')
  const ownSecret = useStored('checkoutClientSecret')
  const sessionId = named ?? sessionIdOf(ownSecret)
  const status = useCheckoutStatus(sessionId, keepPolling)
  const outcome = status.kind === 'known' ? status.outcome : null

  useEffect(() => {
    if (outcome === 'paid') navigate(resultAddress(paths.paymentSuccess, sessionId), { replace: true })
  }, [outcome, sessionId, navigate])

  if (status.kind === 'known' && (outcome === 'awaiting' || outcome === 'paid'))
    return <Awaited boleto={status.answer.boleto} />
  const answer = answerOf(status, outcome)
  if (!named) return <AwaitedByAccount otherwise={answer ?? <CheckingPayment />} />
  return answer ?? <Awaited />
}

/** The message for a checkout that awaits no payment; null until the server has replied. */
function answerOf(status: CheckoutStatus, outcome: Outcome | null): Elements {
  if (status.kind === 'unknown')
    return (
      <UnknownPayment trial={trial}>
        <Receipt />
      </UnknownPayment>
    )
  if (outcome !== 'open' && outcome !== 'expired') return null
  const { title, text } = texts[outcome]
  return (
    <Result mark="sieve" title={title} text={text}>
      <ResultActions>
        {outcome === 'open' && <ButtonLink href={paths.checkout}>{texts.open.back}</ButtonLink>}
        {outcome === 'expired' && <ButtonLink to={paths.plans}>{texts.expired.plans}</ButtonLink>}
        <Receipt />
      </ResultActions>
      {trial}
    </Result>
  )
}

/** The address names no checkout: the subscription of the account comes first. */
function AwaitedByAccount({ otherwise }: { otherwise: Elements }) {
  const account = useSubscriptionOrBoleto()
  const paid = account.kind === 'active' && account.waited
  const navigate = useNavigate()

  useEffect(() => {
    const state: PaidState = { paid: true }
    if (paid) navigate(paths.paymentSuccess, { replace: true, state })
  }, [paid, navigate])

  if (account.kind === 'asking' || paid) return <CheckingPayment />
  if (account.kind === 'active') return <Subscribed />
  return account.kind === 'boleto' ? <Awaited boleto={account.boleto} /> : otherwise
}

function Awaited({ boleto }: { boleto?: Boleto | undefined }) {
  return (
    <Result mark="slip" title={texts.title} text={boleto ? texts.text : texts.textWithoutBoleto}>
      {boleto && <BoletoSlip boleto={boleto} />}
      <ResultActions>
        {boleto?.voucherUrl && (
          <NewTabLink href={boleto.voucherUrl} variant="secondary">
            {texts.view}
          </NewTabLink>
        )}
        <Receipt />
      </ResultActions>
      {trial}
    </Result>
  )
}

/** Shown in every state, because a payment may be made and not known here yet. */
function Receipt() {
  return (
    <NewTabLink href={supportLink(texts.receiptMessage)} variant="secondary">
      {texts.receipt}
    </NewTabLink>
  )
}
