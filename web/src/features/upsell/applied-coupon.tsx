import type { ReactNode } from 'react'
import { type SelectedPlan, writeSelectedPlan } from '../../lib/browser-storage'
import { useKeptPromotion } from '../../purchase/kept-promotion'
import { removePromoCode } from '../../purchase/remove-promo-code'
import { keptCoupon as texts } from '../../texts/kept-coupon'
import { KeptCoupon } from '../../ui/kept-coupon'
import { dealCoupon, type ReadyOffers } from './use-offers'

/** Says which offers have the kept coupon, and takes it out of them; `otherwise` where none has it. */
export function AppliedCoupon({
  offers: { plan, answer },
  onRemoved,
  otherwise,
}: {
  offers: ReadyOffers
  onRemoved: (bare: SelectedPlan) => void
  otherwise: ReactNode
}) {
  const promotion = useKeptPromotion()
  if (!promotion) return otherwise
  const { couponCode: code } = promotion
  const isInMonth = answer.selectedCouponCode === code
  const isInOffers = answer.offers.some(({ couponCode }) => couponCode === code)
  if (!isInMonth && !isInOffers) return otherwise
  const removeIt = async () => {
    const couponId = plan.couponCode === code ? await dealCoupon(plan) : plan.couponId
    const bare = { ...plan, couponCode: null, couponId }
    writeSelectedPlan(bare)
    removePromoCode()
    onRemoved(bare)
  }
  const month = answer.selectedCouponCode
  const text = isInMonth || !month ? texts.upsell : texts.upsellLonger(month)
  return <KeptCoupon code={code} text={text} onRemove={removeIt} />
}
