import { staticPart } from '../../lib/static-part'
import { FreshChoice } from './fresh-choice'
import { PlanFinder } from './plan-finder'
import { PlansSection } from './plans-section'
import { useOwnPlan } from './use-own-plan'

const Comparison = staticPart(() => import('./plan-comparison'))
const PlansFaq = staticPart(() => import('./plans-faq'))

/** The plans-only page. Opening it clears a stored selection. */
export function PlansScreen() {
  return (
    <>
      <PlansSection heading="h1" {...useOwnPlan()} Finder={PlanFinder} above={<FreshChoice />} />
      <Comparison />
      <PlansFaq />
    </>
  )
}
