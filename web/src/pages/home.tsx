import { Hero } from '../features/landing/hero'
import { PlansSection } from '../features/plans/plans-section'
import { staticPart } from '../lib/static-part'

const Pains = staticPart(() => import('../features/landing/pains'))
const Solutions = staticPart(() => import('../features/landing/solutions'))
const Faq = staticPart(() => import('../features/landing/home-faq'))

export default function HomePage() {
  return (
    <>
      <Hero />
      <Pains />
      <Solutions />
      <PlansSection />
      <Faq />
    </>
  )
}
