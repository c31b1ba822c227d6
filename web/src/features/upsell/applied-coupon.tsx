import type { ReactNode } from 'react'
import { type SelectedPlan, writeSelectedPlan } from '../../lib/browser-storage'
import { useKeptPromotion } from '../../purchase/kept-promotion'
import { removePromoCode } from '../../purchase/remove-promo-code'
import { keptCoupon as texts } from '../../texts/kept-coupon'
import { KeptCoupon } from '../../ui/kept-coupon'

/**
 * Says that the kept coupon is in the offers, and takes it out of them; `otherwise` where it is
 * not.
 */
export function AppliedCoupon({
  plan,
  onRemoved,
  otherwise,
}: {
  plan: SelectedPlan
  onRemoved: (bare: SelectedPlan) => void
  otherwise: ReactNode
}) {
  const promotion = useKeptPromotion()
  if (!promotion || promotion.couponCode !== plan.couponCode) return otherwise
  const removeIt = () => {
    const bare = { ...plan, couponCode: null, couponId: null }
    writeSelectedPlan(bare)
    removePromoCode()
    onRemoved(bare)
  }
  return <KeptCoupon code={promotion.couponCode} text={texts.upsell} onRemove={removeIt} />
}
