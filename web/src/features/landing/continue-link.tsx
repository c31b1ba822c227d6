import type { ReactNode } from 'react'
import { readStoredUser } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { serverNow } from '../../lib/server-clock'
import { TRIAL_MS } from '../../lib/timers'
import { useSubscription } from '../../purchase/use-subscription'
import { hero } from '../../texts/landing'
import { ButtonLink } from '../../ui/button'

/** To the plans for who used the trial and does not subscribe, else `otherwise`. The server is asked only after the trial. */
export default function ContinueLink({ otherwise }: { otherwise: ReactNode }) {
  const registeredAt = readStoredUser()?.registeredAt
  const isTrialOver = registeredAt && serverNow().getTime() - registeredAt.getTime() > TRIAL_MS
  return isTrialOver ? <UnlessSubscribed otherwise={otherwise} /> : otherwise
}

function UnlessSubscribed({ otherwise }: { otherwise: ReactNode }) {
  const subscribing = useSubscription()
  if (subscribing.kind !== 'inactive') return otherwise
  return (
    <ButtonLink size="lg" to={paths.plans}>
      {hero.resume}
    </ButtonLink>
  )
}
