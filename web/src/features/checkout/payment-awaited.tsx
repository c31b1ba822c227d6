import { type ReactNode, useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import { read } from '../../lib/browser-storage'
import { type Outcome, resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import { useGo } from '../../lib/go'
import { paths } from '../../lib/paths'
import { brand } from '../../texts/brand'
import { paymentAwaited as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import { Result, ResultActions } from '../../ui/result'
import { BoletoSlip } from './boleto-slip'
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
    <Result mark="slip" title={texts.title} text={boleto ? texts.text : texts.textWithoutBoleto}>
      {boleto && <BoletoSlip boleto={boleto} />}
      <ResultActions>
        {boleto?.voucherUrl && (
          <ButtonLink href={boleto.voucherUrl} target="_blank" rel="noopener">
            {texts.view}
          </ButtonLink>
        )}
        <ButtonLink href={receiptLink()} target="_blank" rel="noopener" variant="secondary">
          {texts.receipt}
        </ButtonLink>
      </ResultActions>
      {trial}
    </Result>
  )
}

/** WhatsApp support, with the message already written. */
function receiptLink(): string {
  const link = new URL(brand.links.whatsapp_support)
  link.searchParams.set('text', texts.receiptMessage)
  return link.href
}
