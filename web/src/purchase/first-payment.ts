import { useQuery } from '@tanstack/react-query'
import { reasonOf } from '../api/app-error'
import { queryClient } from '../api/query-client'
import { couponRef } from '../catalog/coupon'
import { intervalOf } from '../catalog/intervals'
import { usePromoCode } from '../catalog/kept-promotion'
import { periodChoice, type SelectedPlan } from '../catalog/selected-plan'
import { useStored } from '../lib/use-stored'
import { listOffers } from './promotion'

interface FirstPayment {
  centavos: bigint
  /** Whether later payments are higher. */
  isReduced: boolean
  couponId: string | null
  /**
   * The plan at the offer of its period, as its checkout reads it; null for the month, which
   * /upsell asks about.
   */
  choice: SelectedPlan | null
}

/** First payment of the stored plan as its checkout asks for it now; null while it is not known. */
export function useFirstPayment(plan: SelectedPlan): FirstPayment | null {
  const { planId, interval } = plan
  const { data } = useQuery(
    {
      queryKey: ['first payment', planId, interval, couponRef(plan), usePromoCode(), useStored('uid')],
      queryFn: () => firstPayment(plan),
    },
    queryClient,
  )
  return data ?? null
}

async function firstPayment(plan: SelectedPlan): Promise<FirstPayment> {
  try {
    return await listed(plan)
  } catch (cause) {
    // /upsell goes on without a coupon that does not hold, and says so.
    if (reasonOf(cause) === 'COUPON_NOT_APPLICABLE')
      return listed({ ...plan, couponCode: null, couponId: null })
    throw cause
  }
}

async function listed(plan: SelectedPlan): Promise<FirstPayment> {
  const { offers, selectedPriceCentavos, selectedCouponId, monthlyPriceCentavos } = await listOffers(plan)
  const offer = offers.find(({ interval }) => interval === plan.interval)
  const centavos = offer?.priceCentavos ?? selectedPriceCentavos
  const interval = intervalOf(plan.interval)
  return {
    centavos,
    isReduced: centavos < (offer?.renewalPriceCentavos ?? monthlyPriceCentavos),
    couponId: (offer ? offer.couponId : selectedCouponId) || null,
    choice: offer && interval ? periodChoice(plan.planId, interval, offer.priceCentavos, offer) : null,
  }
}
