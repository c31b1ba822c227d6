import type { Elements } from '../../lib/elements'
import { useKeptPromotion } from '../../purchase/promotion'
import { keptCoupon as texts } from '../../texts/kept-coupon'
import { KeptCoupon } from '../../ui/kept-coupon'
import type { ReadyOffers } from './use-offers'

/**
 * Says which offers have the kept coupon, and takes it out of them; `otherwise` where none has it.
 */
export function AppliedCoupon({
  offers: { answer },
  otherwise,
}: {
  offers: ReadyOffers
  otherwise: Elements
}) {
  const promotion = useKeptPromotion()
  if (!promotion) return otherwise
  const { couponCode: code } = promotion
  const isInMonth = answer.selectedCouponCode === code
  const isInOffers = answer.offers.some(({ couponCode }) => couponCode === code)
  if (!isInMonth && !isInOffers) return otherwise
  const month = answer.selectedCouponCode
  const text = isInMonth || !month ? texts.upsell : texts.upsellLonger(month)
  return <KeptCoupon code={code} text={text} />
}
