import { Hero } from '../features/landing/hero'
import { PlansSection } from '../features/plans/plans-section'
import { staticPart } from '../lib/static-part'

const PlansFaq = staticPart(() => import('../features/plans/plans-faq'))

export default function HomePage() {
  return (
    <>
      <Hero />
      <PlansSection />
      <PlansFaq />
    </>
  )
}
