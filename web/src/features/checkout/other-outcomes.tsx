import type { Elements } from '../../lib/elements'
import { paths } from '../../lib/paths'
import { brand } from '../../texts/brand'
import { paymentSuccess, paymentCanceled as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import type { Fact } from '../../ui/facts'
import { Result, ResultActions, ResultFacts } from '../../ui/result'
import { useIsSlow } from './use-checkout-status'

const account = <ButtonLink to={paths.account}>{texts.account}</ButtonLink>

/** Mentions no charge, because the server has not replied. */
export function CheckingPayment() {
  const isSlow = useIsSlow()
  return (
    <Result mark="sieve" title={texts.asking} text={isSlow ? texts.slow : texts.askingText}>
      {isSlow && <ResultActions>{account}</ResultActions>}
    </Result>
  )
}

/**
 * A subscriber never reads of a cancelled or awaited payment, whichever checkout it was. `facts`:
 * of the subscription.
 */
export function Subscribed({ facts }: { facts?: readonly Fact[] }) {
  return (
    <Result mark="nugget" title={texts.subscribed.title} text={texts.subscribed.text}>
      {facts && <ResultFacts facts={facts} />}
      <ResultActions>
        {account}
        <ButtonLink href={brand.links.app_login} variant="secondary">
          {texts.app}
        </ButtonLink>
      </ResultActions>
    </Result>
  )
}

/** The payment that the address names is unknown. `children`: actions beside its own. */
export function UnknownPayment({ children, trial }: { children?: Elements; trial?: Elements }) {
  const { title, text, plans } = paymentSuccess.unknown
  return (
    <Result mark="sieve" title={title} text={text}>
      <ResultActions>
        {account}
        <ButtonLink to={paths.plans} variant="secondary">
          {plans}
        </ButtonLink>
        {children}
      </ResultActions>
      {trial}
    </Result>
  )
}
