import { useMemo } from 'react'
import { useCampaign } from '../../attribution/campaign'
import { promo as texts } from '../../texts/promo'
import { campaignDeals } from './catalog'
import type { NoteOf } from './plan-card'
import { Plans, PlansFrame } from './plans-section'
import { PromoNote } from './promo-note'
import { betterDeals, campaignNote, promotionDeals } from './promotion'
import { useFreshChoice } from './use-fresh-choice'
import { usePromotion } from './use-promotion'

/** The discounted plans of the promotional pages. Opening them clears a stored selection. */
export function PromoPlans() {
  const { promotion, coded, pending } = usePromotion()
  const campaign = useCampaign() ?? 'none'
  // A code that was brought along wins over the campaign; nobody pays more for having none.
  const dealOf = useMemo(() => {
    const byCode = promotionDeals(promotion)
    return coded ? byCode : betterDeals(byCode, campaignDeals(campaign))
  }, [promotion, coded, campaign])
  const runs = campaign === 'black-november'
  const noteOf: NoteOf = (plan) => <PromoNote note={campaignNote(plan, dealOf(plan), coded)} />
  useFreshChoice()
  return (
    <PlansFrame title={texts.plansTitle} lead={texts.plansLead}>
      <Plans dealOf={dealOf} noteOf={runs ? noteOf : undefined} holds={false} pending={pending} />
    </PlansFrame>
  )
}
