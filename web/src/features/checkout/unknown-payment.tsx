import type { ReactNode } from 'react'
import { paths } from '../../lib/paths'
import { paymentSuccess as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import { Result, ResultActions } from '../../ui/result'

/** Nothing is known of the payment that an address speaks of, so nothing is said of it. `children`: ways on beside its own. */
export function UnknownPayment({ children, trial }: { children?: ReactNode; trial?: ReactNode }) {
  return (
    <Result mark="sieve" title={texts.unknown.title} text={texts.unknown.text}>
      <ResultActions>
        <ButtonLink to={paths.account}>{texts.account}</ButtonLink>
        <ButtonLink to={paths.plans} variant="secondary">
          {texts.unknown.plans}
        </ButtonLink>
        {children}
      </ResultActions>
      {trial}
    </Result>
  )
}
