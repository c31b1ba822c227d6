import { paths } from '../../lib/paths'
import { brand } from '../../texts/brand'
import { paymentCanceled as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'
import { Result, ResultActions } from '../../ui/result'

/** Somebody who pays reads of no cancellation and no waiting, whichever checkout it was. */
export function Subscribed() {
  return (
    <Result mark="nugget" title={texts.subscribed.title} text={texts.subscribed.text}>
      <ResultActions>
        <ButtonLink to={paths.account}>{texts.account}</ButtonLink>
        <ButtonLink href={brand.links.app_login} variant="secondary">
          {texts.app}
        </ButtonLink>
      </ResultActions>
    </Result>
  )
}
