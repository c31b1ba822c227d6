import { lazy, Suspense } from 'react'
import { cardGroups } from '../../catalog/catalog'
import { clearSelectedPlan } from '../../catalog/selected-plan'
import { loadConfig } from '../../lib/config'
import type { Elements } from '../../lib/elements'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { useSeemsSignedIn } from '../../session/session'
import { brand } from '../../texts/brand'
import { hero, trialNote } from '../../texts/landing'
import { ButtonLink } from '../../ui/button'

/** The trial's end is told by the server's clock. */
const Continue = lazy(async () => {
  await loadConfig().catch(() => undefined)
  return import('./continue-link')
})

/**
 * The way into the free trial, without a plan chosen before and its return point; for who has an
 * account, on to the app. `toPlans` stands beside it, but not if the way itself leads to the plans.
 */
export function TrialLink({ toPlans }: { toPlans?: Elements }) {
  if (useSeemsSignedIn()) {
    const app = (
      <>
        <ButtonLink size="lg" href={brand.links.app_login}>
          {hero.app}
        </ButtonLink>
        {toPlans}
      </>
    )
    return (
      <Suspense fallback={app}>
        <Continue otherwise={app} />
      </Suspense>
    )
  }
  return (
    <>
      <ButtonLink size="lg" to={paths.signUp} onClick={clearSelectedPlan}>
        {hero.ordinary.trial}
      </ButtonLink>
      {toPlans}
    </>
  )
}

/** What the trial is, under its button; nothing for who has an account. */
export function TrialNote({ className }: { className?: string }) {
  if (useSeemsSignedIn()) return null
  return <p className={className}>{trialNote(formatCentavos(CHEAPEST))}</p>
}

const CHEAPEST = Math.min(
  ...cardGroups.flatMap(({ plans }) => plans.map(({ monthlyCentavos }) => monthlyCentavos)),
)
