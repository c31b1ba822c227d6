import HomeFaq from '../../features/landing/home/home-faq'
import { Pains } from '../../features/landing/home/pains'
import { Stores } from '../../features/landing/home/stores'
import { PromoHero } from '../../features/landing/promotion/promo-hero'
import { PromoBanner } from '../../features/plans/promotion/promo-banner'
import { PromoPercent } from '../../features/plans/promotion/promo-percent'
import { PromoPlans } from '../../features/plans/promotion/promo-plans'

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
