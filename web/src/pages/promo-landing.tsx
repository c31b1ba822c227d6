import { PromoHero } from '../features/landing/promo-hero'
import { PromoBanner } from '../features/plans/promo-banner'
import { PromoPercent } from '../features/plans/promo-percent'
import { PromoPlans } from '../features/plans/promo-plans'
import { staticPart } from '../lib/static-part'

const Proof = staticPart(() => import('../features/landing/proof'))
const Faq = staticPart(() => import('../features/landing/home-faq'))

/** A short landing for advertising: hero, plans with the address's code, proof, questions. */
export default function PromoLandingPage() {
  return (
    <>
      <PromoHero percent={<PromoPercent />} />
      <PromoBanner />
      <PromoPlans />
      <Proof />
      <Faq />
    </>
  )
}
