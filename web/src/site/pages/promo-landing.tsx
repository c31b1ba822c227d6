import HomeFaq from '../../features/landing/home/home-faq'
import { PromoHero } from '../../features/landing/promotion/promo-hero'
import Proof from '../../features/landing/promotion/proof'
import { PromoBanner } from '../../features/plans/promotion/promo-banner'
import { PromoPercent } from '../../features/plans/promotion/promo-percent'
import { PromoPlans } from '../../features/plans/promotion/promo-plans'

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
