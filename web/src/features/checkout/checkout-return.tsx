import { useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import { resultAddress, resultPath } from '../../lib/checkout-outcome'
import { useGo } from '../../lib/go'
import { paths } from '../../lib/paths'
import { useToasts } from '../../lib/toasts'
import { checkoutReturn as texts } from '../../texts/checkout'
import { ButtonLink } from '../../ui/button'
import { PageLoading } from '../../ui/spinner'
import styles from './checkout-return.module.css'
import { usePatience } from './use-patience'
import { usePaymentTruth } from './use-payment-truth'

/** /checkout-return: where the provider sends whoever had to leave its form. */
export function CheckoutReturn() {
  const [query] = useSearchParams()
  const sessionId = query.get('session_id')
  const truth = usePaymentTruth(sessionId)
  const patient = usePatience()
  const go = useGo()
  const { show } = useToasts()

  useEffect(() => {
    if (truth.kind === 'asking') return
    const outcome = truth.kind === 'known' ? truth.outcome : 'expired'
    const result = resultPath(outcome)
    if (result) return go(resultAddress(result, sessionId), { replace: true })
    if (outcome === 'open') return go(paths.checkout, { replace: true })
    show({ kind: 'error', title: texts.expired })
    go(paths.plans, { replace: true })
  }, [truth, sessionId, go, show])

  return (
    <>
      <h1 className="visually-hidden">{texts.title}</h1>
      <PageLoading label={texts.loading} />
      {!patient && (
        <div className={styles.slow} role="status">
          <p>{texts.slow}</p>
          <ButtonLink to={paths.account} variant="secondary">
            {texts.account}
          </ButtonLink>
        </div>
      )}
    </>
  )
}
