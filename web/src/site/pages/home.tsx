import { Hero } from '../../features/landing/home/hero'
import HomeFaq from '../../features/landing/home/home-faq'
import { NightQueues } from '../../features/landing/home/night-queues'
import { NuggetTrail } from '../../features/landing/home/nugget-trail'
import { Pains } from '../../features/landing/home/pains'
import { SampleDay } from '../../features/landing/home/sample-day'
import Steps from '../../features/landing/home/steps'
import { Stores } from '../../features/landing/home/stores'
import { Trust } from '../../features/landing/home/trust'
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

/**
 * The home page, in its order: by day to the tools, through a night to the plans, then the proof.
 */
export default function HomePage() {
  return (
    <>
      <Hero />
      <TrialBar>
        <NuggetTrail>
          <Steps />
          <Pains />
          <SolutionsSection />
          <Stores />
          <NightQueues />
        </NuggetTrail>
      </TrialBar>
      <Plans />
      <SampleDay />
      <Trust />
      <HomeFaq />
    </>
  )
}
