import { type ReactNode, useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { read } from '../../lib/browser-storage'
import { type Outcome, resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import { useGo } from '../../lib/go'
import { paths } from '../../lib/paths'
import { supportLink } from '../../lib/support-link'
import { paymentAwaited as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import { Result, ResultActions } from '../../ui/result'
import { BoletoSlip } from './boleto-slip'
import { UnknownPayment } from './unknown-payment'
import { usePaymentTruth } from './use-payment-truth'

const waits = (outcome: Outcome) => outcome === 'awaiting' || outcome === 'open'

/** /payment-awaited: the boleto to pay; moves on by itself once it is paid. Spec section 2; design section 10. */
export function PaymentAwaited({ trial }: { trial: ReactNode }) {
  const [query] = useSearchParams()
  const sessionId = query.get('session_id') ?? sessionIdOf(read('checkoutClientSecret'))
  const truth = usePaymentTruth(sessionId, waits)
  const go = useGo()
  const outcome = truth.kind === 'known' ? truth.outcome : null
  const boleto = truth.kind === 'known' ? truth.answer.boleto : undefined

  useEffect(() => {
    if (outcome === 'paid') go(resultAddress(paths.paymentSuccess, sessionId), { replace: true })
  }, [outcome, sessionId, go])

  if (sessionId && truth.kind === 'unknown') return <UnknownPayment />
  if (outcome === 'open')
    return (
      <Result mark="sieve" title={texts.open.title} text={texts.open.text}>
        <ResultActions>
          <ButtonLink href={paths.checkout}>{texts.open.back}</ButtonLink>
        </ResultActions>
      </Result>
    )
  if (outcome === 'expired')
    return (
      <Result mark="sieve" title={texts.expired.title} text={texts.expired.text}>
        <ResultActions>
          <ButtonLink to={paths.plans}>{texts.expired.plans}</ButtonLink>
        </ResultActions>
      </Result>
    )
  return (
    <Result mark="slip" title={texts.title} text={textOf(sessionId, boleto)}>
      {boleto && <BoletoSlip boleto={boleto} />}
      <ResultActions>
        {boleto?.voucherUrl && (
          <ButtonLink href={boleto.voucherUrl} target="_blank" rel="noopener" variant="secondary">
            {texts.view}
          </ButtonLink>
        )}
        {!sessionId && <ButtonLink to={paths.account}>{texts.account}</ButtonLink>}
        <ButtonLink
          href={supportLink(texts.receiptMessage)}
          target="_blank"
          rel="noopener"
          variant="secondary"
        >
          {texts.receipt}
        </ButtonLink>
      </ResultActions>
      {trial}
    </Result>
  )
}

/** The page moves on by itself only where there is a checkout to ask for. */
function textOf(sessionId: string | null, boleto: Boleto | undefined): string {
  if (boleto) return texts.text
  return sessionId ? texts.textWithoutBoleto : texts.textWithoutSession
}
