import { type ReactNode, useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { GetCheckoutSessionResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { remove } from '../../lib/browser-storage'
import { resultAddress } from '../../lib/checkout-outcome'
import { useGo } from '../../lib/go'
import { centavosOf, formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { planName } from '../../lib/plan-names'
import { brand } from '../../texts/brand'
import { checkout } from '../../texts/checkout'
import { intervalNames } from '../../texts/intervals'
import { paymentSuccess as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import { Result, ResultActions, ResultFacts } from '../../ui/result'
import { PageLoading } from '../../ui/spinner'
import { usePatience } from './use-patience'
import { usePaymentTruth } from './use-payment-truth'

/** /payment-success: what was paid, as the server knows it; the query is shown only without a session. */
export function PaymentSuccess() {
  const [query] = useSearchParams()
  const sessionId = query.get('session_id')
  const truth = usePaymentTruth(sessionId)
  const patient = usePatience()
  const go = useGo()
  const outcome = truth.kind === 'known' ? truth.outcome : null

  useEffect(() => {
    if (outcome === 'awaiting') go(resultAddress(paths.paymentAwaited, sessionId), { replace: true })
    // What was chosen is bought: nothing is left to conclude.
    if (outcome === 'paid') remove('selectedPlan', 'upsellEndTime', 'checkoutClientSecret')
  }, [outcome, sessionId, go])

  if (!sessionId) return <Confirmed facts={factsOfQuery(query)} />
  if (truth.kind === 'asking' || outcome === 'awaiting')
    return <PageLoading label={patient ? texts.confirming : texts.slow} />
  if (truth.kind === 'known' && outcome === 'paid') return <Confirmed facts={factsOf(truth.answer)} />
  return (
    <Result mark="sieve" title={texts.unknown.title} text={texts.unknown.text}>
      <ResultActions>
        <ButtonLink to={paths.account}>{texts.account}</ButtonLink>
      </ResultActions>
    </Result>
  )
}

type Facts = readonly (readonly [string, ReactNode])[]

function Confirmed({ facts }: { facts: Facts }) {
  return (
    <Result mark="nugget" title={texts.title} text={texts.text}>
      {facts.length > 0 && <ResultFacts facts={facts} />}
      <ResultActions>
        <ButtonLink href={brand.links.app_login} rel="noopener">
          {texts.app}
        </ButtonLink>
        <ButtonLink to={paths.account} variant="secondary">
          {texts.account}
        </ButtonLink>
      </ResultActions>
    </Result>
  )
}

function factsOf({ planId, interval, amountTotalCentavos }: GetCheckoutSessionResponse): Facts {
  return [
    [texts.plan, planName(planId)],
    [texts.interval, intervalNames[interval] ?? ''],
    [texts.price, formatCentavos(amountTotalCentavos)],
  ]
}

/** Display alone; without a price it says nothing about one (1.0 is for tracking). Design section 10. */
function factsOfQuery(query: URLSearchParams): Facts {
  const plan = query.get('planName')
  const interval = query.get('interval')
  const centavos = centavosOf(query.get('price') ?? '')
  const name = interval && interval in checkout.intervals ? interval : null
  return [
    ...(plan ? [[texts.plan, planName(plan)] as const] : []),
    ...(name ? [[texts.interval, checkout.intervals[name as keyof typeof checkout.intervals]] as const] : []),
    ...(centavos !== null ? [[texts.price, formatCentavos(centavos)] as const] : []),
  ]
}
