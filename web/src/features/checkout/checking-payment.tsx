import { paths } from '../../lib/paths'
import { paymentCanceled as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import { Result, ResultActions } from '../../ui/result'
import { useIsSlow } from './use-is-slow'

/** Nothing is said of a charge before the server has said it. */
export function CheckingPayment() {
  const isSlow = useIsSlow()
  return (
    <Result mark="sieve" title={texts.asking} text={isSlow ? texts.slow : texts.askingText}>
      {isSlow && (
        <ResultActions>
          <ButtonLink to={paths.account}>{texts.account}</ButtonLink>
        </ResultActions>
      )}
    </Result>
  )
}
