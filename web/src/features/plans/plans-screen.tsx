import { staticPart } from '../../lib/static-part'
import { PlansSection } from './plans-section'
import { useFreshChoice } from './use-fresh-choice'

const PlansFaq = staticPart(() => import('./plans-faq'))

/** The plans-only page. Opening it clears a stored selection. */
export function PlansScreen() {
  useFreshChoice()
  return (
    <>
      <PlansSection heading="h1" />
      <PlansFaq />
    </>
  )
}
