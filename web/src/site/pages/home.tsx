import { Hero } from '../../features/landing/home/hero'
import HomeFaq from '../../features/landing/home/home-faq'
import { Pains } from '../../features/landing/home/pains'
import Steps from '../../features/landing/home/steps'
import { Stores } from '../../features/landing/home/stores'
import { SolutionsSection } from '../../features/landing/solutions/solutions-section'
import { TrialBar } from '../../features/landing/trial/trial-link'
import { PlansSection } from '../../features/plans/cards/plans-section'
import { useOwnPlan } from '../../features/plans/choice/use-own-plan'

/**
 * With what the visitor has bought, which is read once the page has woken up. Apart, so that
 * nothing else is drawn again.
 */
function Plans() {
  return <PlansSection {...useOwnPlan()} />
}

/** The home page, in its order. */
export default function HomePage() {
  return (
    <>
      <Hero />
      <TrialBar>
        <Steps />
        <Pains />
        <SolutionsSection />
        <Stores />
      </TrialBar>
      <Plans />
      <HomeFaq />
    </>
  )
}
