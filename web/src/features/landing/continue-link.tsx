import type { ReactNode } from 'react'
import { readStoredUser } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { serverNow } from '../../lib/server-clock'
import { TRIAL_MS } from '../../lib/timers'
import { useSubscription } from '../../purchase/use-subscription'
import { hero } from '../../texts/landing'
import { openBoleto } from '../../texts/open-boleto'
import { ButtonLink } from '../../ui/button'

/**
 * To the plans, or to an open boleto, for who used the trial and does not subscribe, else `otherwise`.
 * The server is asked after the trial, and where this browser does not know when that ends: only
 * the sign-up stores it.
 */
export default function ContinueLink({ otherwise }: { otherwise: ReactNode }) {
  const registeredAt = readStoredUser()?.registeredAt
  const inTrial = registeredAt && serverNow().getTime() - registeredAt.getTime() <= TRIAL_MS
  return inTrial ? otherwise : <UnlessSubscribed otherwise={otherwise} />
}

function UnlessSubscribed({ otherwise }: { otherwise: ReactNode }) {
  const subscribing = useSubscription()
  const trialEnd = subscribing.kind === 'inactive' ? subscribing.trialEndsAt : null
  if (subscribing.kind !== 'inactive' || !trialEnd || trialEnd > serverNow()) return otherwise
  // A visitor with an open boleto has chosen a plan already.
  const [to, text] = subscribing.boleto ? [paths.account, openBoleto.view] : [paths.plans, hero.resume]
  return (
    <ButtonLink size="lg" to={to}>
      {text}
    </ButtonLink>
  )
}
