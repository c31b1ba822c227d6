import type { ReactNode } from 'react'
import { campaignCouponId } from '../../gen/catalog.json?campaignCoupon'
import { readSelectedPlan, type SelectedPlan } from '../../lib/browser-storage'
import { useKeptPromotion } from '../../purchase/kept-promotion'
import { keptCoupon as texts } from '../../texts/kept-coupon'
import { KeptCoupon } from '../../ui/kept-coupon'
import type { ReadyOffers } from './use-offers'

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
  const kept = useKeptPromotion()?.couponCode
  const isApplied = (code: string | null | undefined) =>
    code && [answer.selectedCouponCode, ...answer.offers.map(({ couponCode }) => couponCode)].includes(code)
  // A plan that was chosen with an earlier code keeps that one where it is the lower price.
  const chosen = plan.couponId === campaignCouponId ? null : plan.couponCode
  const code = [kept, chosen].find(isApplied)
  if (!code) return otherwise
  const month = answer.selectedCouponCode
  const text = !month || month === code ? texts.upsell : texts.upsellLonger(month)
  return <KeptCoupon code={code} text={text} onRemove={() => onRemoved(readSelectedPlan() ?? plan)} />
}
