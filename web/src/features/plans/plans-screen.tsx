import { FreshChoice } from './fresh-choice'
import PlanComparison from './plan-comparison'
import { PlanFinder } from './plan-finder'
import PlansFaq from './plans-faq'
import { PlansSection } from './plans-section'
import { useOwnPlan } from './use-own-plan'

/** The plans-only page. Opening it clears a stored selection. */
export function PlansScreen() {
  return (
    <>
      <PlansSection heading="h1" {...useOwnPlan()} Finder={PlanFinder} above={<FreshChoice />} />
      <PlanComparison />
      <PlansFaq />
    </>
  )
}
