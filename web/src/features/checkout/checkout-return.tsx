import { useEffect } from 'react'
import { resultAddress, resultPath } from '../../lib/checkout-outcome'
import { go } from '../../lib/go'
import { useSearchParam } from '../../lib/location'
import { paths } from '../../lib/paths'
import { useToasts } from '../../lib/toasts'
import { checkoutReturn as texts } from '../../texts/checkout'
import { ButtonLink } from '../../ui/button'
import { PageLoading } from '../../ui/spinner'
import styles from './checkout-return.module.css'
import { useCheckoutStatus } from './use-checkout-status'
import { useIsSlow } from './use-is-slow'

/** /checkout-return: where the provider sends whoever had to leave its form. */
export function CheckoutReturn() {
  const sessionId = useSearchParam('session_id')
  const status = useCheckoutStatus(sessionId)
  const isSlow = useIsSlow()
  const { show } = useToasts()

  useEffect(() => {
    if (status.kind === 'asking') return
    const outcome = status.kind === 'known' ? status.outcome : 'expired'
    const result = resultPath(outcome)
    if (result) return go(resultAddress(result, sessionId), { replace: true })
    if (outcome === 'open') return go(paths.checkout, { replace: true })
    show({ kind: 'error', title: texts.expired })
    go(paths.plans, { replace: true })
  }, [status, sessionId, show])

  return (
    <>
      <h1 className="visually-hidden">{texts.title}</h1>
      <PageLoading label={texts.loading} />
      {isSlow && (
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
