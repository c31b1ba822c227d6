import { type ReactNode, useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import { readSelectedPlan } from '../../lib/browser-storage'
import { resultAddress, resultPath } from '../../lib/checkout-outcome'
import { useGo } from '../../lib/go'
import { paths } from '../../lib/paths'
import { useSubscription } from '../../lib/use-subscription'
import { brand } from '../../texts/brand'
import { paymentCanceled as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import { Result, ResultActions } from '../../ui/result'
import { usePatience } from './use-patience'
import { usePaymentTruth } from './use-payment-truth'

/** /payment-canceled: no charge was made. Whoever did pay never reads it (design section 12). */
export function PaymentCanceled({ trial }: { trial: ReactNode }) {
  const [query] = useSearchParams()
  const sessionId = query.get('session_id')
  const truth = usePaymentTruth(sessionId)
  const subscribing = useSubscription()
  const patient = usePatience()
  const go = useGo()
  const result = truth.kind === 'known' ? resultPath(truth.outcome) : null

  useEffect(() => {
    if (result) go(resultAddress(result, sessionId), { replace: true })
  }, [result, sessionId, go])

  // Nothing is said of a charge before the server has said it.
  if (truth.kind === 'asking' || subscribing.kind === 'asking' || result)
    return (
      <Result mark="sieve" title={texts.asking} text={patient ? texts.askingText : texts.slow}>
        {!patient && (
          <ResultActions>
            <ButtonLink to={paths.account}>{texts.account}</ButtonLink>
          </ResultActions>
        )}
      </Result>
    )
  return subscribing.kind === 'active' ? <Subscribed /> : <Canceled trial={trial} />
}

/** Somebody who pays reads of no cancellation, whichever checkout it was. */
function Subscribed() {
  return (
    <Result mark="nugget" title={texts.subscribed.title} text={texts.subscribed.text}>
      <ResultActions>
        <ButtonLink to={paths.account}>{texts.account}</ButtonLink>
        <ButtonLink href={brand.links.app_login} rel="noopener" variant="secondary">
          {texts.app}
        </ButtonLink>
      </ResultActions>
    </Result>
  )
}

function Canceled({ trial }: { trial: ReactNode }) {
  const plan = readSelectedPlan()
  return (
    <Result
      mark="sieve"
      title={texts.title}
      text={plan ? `${texts.text} ${texts.kept(plan.name)}` : texts.text}
    >
      {trial}
      <ResultActions>
        {plan && <ButtonLink to={paths.upsell}>{texts.resume}</ButtonLink>}
        <ButtonLink to={paths.plans} variant={plan ? 'secondary' : 'primary'}>
          {texts.plans}
        </ButtonLink>
        <ButtonLink href={brand.links.app_login} rel="noopener" variant="secondary">
          {texts.app}
        </ButtonLink>
      </ResultActions>
    </Result>
  )
}
