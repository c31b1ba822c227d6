import HomeFaq from '../../features/landing/home-faq'
import { PromoHero } from '../../features/landing/promo-hero'
import Proof from '../../features/landing/proof'
import { PromoBanner } from '../../features/plans/promo-banner'
import { PromoPercent } from '../../features/plans/promo-percent'
import { PromoPlans } from '../../features/plans/promo-plans'

/** A short landing for advertising: hero, plans with the address's code, proof, questions. */
export default function PromoLandingPage() {
  return (
    <>
      <PromoHero percent={<PromoPercent />} />
      <PromoBanner />
      <PromoPlans />
      <Proof />
      <HomeFaq />
    </>
  )
}
