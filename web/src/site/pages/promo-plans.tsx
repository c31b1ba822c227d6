import HomeFaq from '../../features/landing/home-faq'
import { Pains } from '../../features/landing/pains'
import { PromoHero } from '../../features/landing/promo-hero'
import { Stores } from '../../features/landing/stores'
import { PromoBanner } from '../../features/plans/promo-banner'
import { PromoPercent } from '../../features/plans/promo-percent'
import { PromoPlans } from '../../features/plans/promo-plans'

/** The promotional plans page. */
export default function PromoPlansPage() {
  return (
    <>
      <PromoHero percent={<PromoPercent />} />
      <PromoBanner />
      <Pains />
      <Stores />
      <PromoPlans />
      <HomeFaq />
    </>
  )
}
