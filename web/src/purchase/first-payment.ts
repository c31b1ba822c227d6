import { useQuery } from '@tanstack/react-query'
import { offersQuery, type PlanOffers } from '../api/promotion'
import { queryClient } from '../api/query-client'
import { intervalOf } from '../catalog/intervals'
import { usePromoCode } from '../catalog/kept-promotion'
import { periodChoice, type SelectedPlan } from '../catalog/selected-plan'
import { useStored } from '../lib/use-stored'

/** First payment of the stored plan as its checkout asks for it now; null while it is not known. */
export function useFirstPayment(plan: SelectedPlan) {
  const query = offersQuery(plan, usePromoCode(), useStored('uid'))
  const { data } = useQuery({ ...query, select: (offers) => firstPayment(plan, offers) }, queryClient)
  return data ?? null
}

function firstPayment({ planId, interval }: SelectedPlan, { answer }: PlanOffers) {
  const offer = answer.offers.find((offer) => offer.interval === interval)
  const centavos = offer?.priceCentavos ?? answer.selectedPriceCentavos
  const period = intervalOf(interval)
  return {
    centavos,
    /** Whether later payments are higher. */
    isReduced: centavos < (offer?.renewalPriceCentavos ?? answer.monthlyPriceCentavos),
    couponId: (offer ? offer.couponId : answer.selectedCouponId) || null,
    /**
     * The plan at the offer of its period, as its checkout reads it; null for the month, which
     * /upsell asks about.
     */
    choice: offer && period ? periodChoice(planId, period, offer.priceCentavos, offer) : null,
  }
}
