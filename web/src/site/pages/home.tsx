import { Hero } from '../../features/landing/hero'
import HomeFaq from '../../features/landing/home-faq'
import { Pains } from '../../features/landing/pains'
import { SolutionsSection } from '../../features/landing/solutions-section'
import Steps from '../../features/landing/steps'
import { Stores } from '../../features/landing/stores'
import { TrialBar } from '../../features/landing/trial-bar'
import { PlansSection } from '../../features/plans/plans-section'
import { useOwnPlan } from '../../features/plans/use-own-plan'

/** With what the visitor has bought, which is read once the page has woken up. Apart, so that nothing else is drawn again. */
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
