import { useEffect } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import { resultAddress, resultPath } from '../../lib/checkout-outcome'
import { paths } from '../../lib/paths'
import { useToasts } from '../../lib/toasts'
import { checkoutReturn as texts } from '../../texts/checkout'
import { ButtonLink } from '../../ui/button'
import { PageLoading } from '../../ui/spinner'
import styles from './checkout-return.module.css'
import { useCheckoutStatus, useIsSlow } from './use-checkout-status'

/** /checkout-return: the provider's return address after a redirect out of its form. */
export function CheckoutReturn() {
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const sessionId = query.get('session_id')
  const status = useCheckoutStatus(sessionId)
  const isSlow = useIsSlow()
  const { show } = useToasts()

  useEffect(() => {
    if (status.kind === 'asking') return
    const outcome = status.kind === 'known' ? status.outcome : 'expired'
    const result = resultPath(outcome)
    const goTo = (address: string) => void navigate(address, { replace: true })
    if (result) return goTo(resultAddress(result, sessionId))
    if (outcome === 'open') return goTo(paths.checkout)
    show({ kind: 'error', title: texts.expired })
    goTo(paths.plans)
  }, [status, sessionId, show, navigate])

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
