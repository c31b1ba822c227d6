import HomeFaq from '../../features/landing/home/home-faq'
import { Pains } from '../../features/landing/home/pains'
import { Stores } from '../../features/landing/home/stores'
import { Promo } from '../../features/plans/promotion/promo'

/** The promotional plans page. */
export default function PromoPlansPage() {
  return (
    <>
      <Promo />
      <Pains />
      <Stores />
      <HomeFaq />
    </>
  )
}
