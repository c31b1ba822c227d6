import { useEffect } from 'react'
import { clearSelectedPlan } from '../../lib/browser-storage'
import { staticPart } from '../../lib/static-part'
import { PlansSection } from './plans-section'

const PlansFaq = staticPart(() => import('./plans-faq'))

/** The plans-only page. Opening it clears a stored selection (spec section 4). */
export function PlansScreen() {
  useEffect(clearSelectedPlan, [])
  return (
    <>
      <PlansSection heading="h1" />
      <PlansFaq />
    </>
  )
}
