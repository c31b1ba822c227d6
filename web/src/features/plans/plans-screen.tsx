import { PlanFinder } from './cards/plan-finder'
import { PlansSection } from './cards/plans-section'
import { FreshChoice } from './choice/fresh-choice'
import { useOwnPlan } from './choice/use-own-plan'
import PlanComparison from './comparison/plan-comparison'
import PlansFaq from './plans-faq'

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
