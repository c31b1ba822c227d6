import { useEffect } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import { intervalOf } from '../../catalog/intervals'
import { planName } from '../../catalog/plan-names'
import { type SelectedPlan, useSelectedPlan } from '../../catalog/selected-plan'
import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { resultAddress, resultPath } from '../../lib/checkout-outcome'
import type { Elements } from '../../lib/elements'
import { paths } from '../../lib/paths'
import { BoletoNotice } from '../../parts/boleto'
import { TrialLeft } from '../../parts/trial'
import { brand } from '../../texts/brand'
import { paymentCanceled as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import { Result, ResultActions } from '../../ui/result'
import { CheckingPayment, Subscribed } from './other-outcomes'
import { useCheckoutStatus, useSubscriptionOrBoleto } from './use-checkout-status'

/** /payment-canceled: no charge was made. A paid checkout redirects to its result. */
export function PaymentCanceled({ openInvoice }: { openInvoice: Elements }) {
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const sessionId = query.get('session_id')
  const status = useCheckoutStatus(sessionId)
  const account = useSubscriptionOrBoleto()
  const result = status.kind === 'known' ? resultPath(status.outcome) : null

  useEffect(() => {
    if (result) navigate(resultAddress(result, sessionId), { replace: true })
  }, [result, sessionId, navigate])

  if (status.kind === 'asking' || account.kind === 'asking' || result) return <CheckingPayment />
  if (account.kind === 'active') return <Subscribed />
  return <Canceled boleto={account.kind === 'boleto' ? account.boleto : null} openInvoice={openInvoice} />
}

function Canceled({ boleto, openInvoice }: { boleto: Boleto | null; openInvoice: Elements }) {
  const plan = useSelectedPlan()
  return (
    <Result
      mark="sieve"
      title={texts.title}
      text={plan ? `${texts.text} ${texts.kept(planName(plan.planId))}` : texts.text}
    >
      {boleto && <BoletoNotice boleto={boleto} more={texts.boleto} />}
      {openInvoice}
      <ResultActions>
        {plan && <ButtonLink to={resumePath(plan)}>{texts.resume}</ButtonLink>}
        <ButtonLink to={paths.plans} variant={plan ? 'secondary' : 'primary'}>
          {texts.plans}
        </ButtonLink>
        <ButtonLink href={brand.links.app_login} variant="secondary">
          {texts.app}
        </ButtonLink>
      </ResultActions>
      {/* Comes later than the rest, and moves nothing. */}
      <TrialLeft text={texts.trial} />
    </Result>
  )
}

/** A longer period is chosen already: /upsell would ask for it again. */
function resumePath({ interval }: SelectedPlan): string {
  return intervalOf(interval)?.stored === 'monthly' ? paths.upsell : paths.checkout
}
