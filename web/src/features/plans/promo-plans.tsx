import { useMemo } from 'react'
import { useCampaign } from '../../lib/campaign'
import { promo as texts } from '../../texts/promo'
import { campaignDeals } from './catalog'
import { Plans, PlansFrame } from './plans-section'
import { betterDeals, promotionDeals } from './promotion'
import { useFreshChoice } from './use-fresh-choice'
import { usePromotion } from './use-promotion'

/** The discounted plans of the promotional pages. Opening them clears a stored selection (spec section 4). */
export function PromoPlans() {
  const { promotion, coded, pending } = usePromotion()
  const campaign = useCampaign() ?? 'none'
  // A code that was brought along wins over the campaign (design section 6); nobody pays more for having none.
  const [dealOf, campaignOf] = useMemo(() => {
    const byCode = promotionDeals(promotion)
    const byCampaign = campaignDeals(campaign)
    if (!coded) return [betterDeals(byCode, byCampaign), null]
    return [byCode, campaign === 'black-november' ? byCampaign : null]
  }, [promotion, coded, campaign])
  useFreshChoice()
  return (
    <PlansFrame title={texts.plansTitle} lead={texts.plansLead}>
      <Plans dealOf={dealOf} campaignOf={campaignOf} holds={false} pending={pending} />
    </PlansFrame>
  )
}
