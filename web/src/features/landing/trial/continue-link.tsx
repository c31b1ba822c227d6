import type { ComponentProps } from 'react'
import type { Elements } from '../../../lib/elements'
import { paths } from '../../../lib/paths'
import { serverNow } from '../../../lib/server-clock'
import { useSubscription } from '../../../purchase/use-subscription'
import { openBoleto } from '../../../texts/boleto'
import { hero } from '../../../texts/landing'
import { ButtonLink } from '../../../ui/button'

/**
 * A link to the plans, or to an open boleto, after a used trial without a subscription. Otherwise
 * `otherwise`. The server decides, because the trial of a new account may have been used by an
 * earlier one.
 */
export default function ContinueLink({
  otherwise,
  variant,
}: {
  otherwise: Elements
  variant?: ComponentProps<typeof ButtonLink>['variant']
}) {
  const { trialEndsAt, boleto } = useSubscription()
  if (!trialEndsAt || trialEndsAt > serverNow()) return otherwise
  // A visitor with an open boleto has chosen a plan already.
  const [to, text] = boleto ? [paths.account, openBoleto.view] : [paths.plans, hero.resume]
  return (
    <ButtonLink size="lg" variant={variant} to={to}>
      {text}
    </ButtonLink>
  )
}
