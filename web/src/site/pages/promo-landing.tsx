import HomeFaq from '../../features/landing/home/home-faq'
import Proof from '../../features/landing/promotion/proof'
import { Promo } from '../../features/plans/promotion/promo'

/** A short landing for advertising: the promotion of the address's code, proof, questions. */
export default function PromoLandingPage() {
  return (
    <>
      <Promo />
      <Proof />
      <HomeFaq />
    </>
  )
}
