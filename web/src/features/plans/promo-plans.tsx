import { useEffect, useMemo } from 'react'
import { clearSelectedPlan } from '../../lib/browser-storage'
import { promo as texts } from '../../texts/promo'
import { Plans, PlansFrame } from './plans-section'
import { promotionDeals } from './promotion'
import { usePromotion, useReferral } from './use-promotion'

/** The discounted plans of the promotional pages. Opening them clears a stored selection (spec section 4). */
export function PromoPlans() {
  const { promotion, pending } = usePromotion()
  const dealOf = useMemo(() => promotionDeals(promotion), [promotion])
  useEffect(clearSelectedPlan, [])
  useReferral()
  return (
    <PlansFrame title={texts.plansTitle} lead={texts.plansLead}>
      <Plans dealOf={dealOf} holds={false} pending={pending} />
    </PlansFrame>
  )
}
