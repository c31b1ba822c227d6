import { skipToken, useQuery } from '@tanstack/react-query'
import { reasonOf } from '../../api/app-error'
import { campaignCouponId } from '../../catalog/catalog'
import { usePromoCode } from '../../catalog/kept-promotion'
import { type SelectedPlan, writeSelectedPlan } from '../../catalog/selected-plan'
import type { ListUpsellOffersResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { useStored } from '../../lib/use-stored'
import { forgetPromoCode } from '../../purchase/kept-code'
import { keptCoupon, listOffers } from '../../purchase/promotion'

export interface ReadyOffers {
  plan: SelectedPlan
  answer: ListUpsellOffersResponse
  /** What the choice has lost since it was made. */
  dropped?: 'coupon' | 'campaign'
}

/**
 * The offers for the stored plan, computed by the server; `reload` asks again, for instance when
 * the hold ends. `isGone`: the plan is not sold.
 */
export function useOffers(plan: SelectedPlan | null) {
  const code = usePromoCode()
  const uid = useStored('uid')
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['offers', plan?.planId, plan?.couponId, code, uid],
    queryFn: plan ? () => load(plan) : skipToken,
  })
  const isGone = error !== null && ['UNKNOWN_PLAN', 'PLAN_NOT_FOR_SALE'].includes(reasonOf(error))
  return {
    offers: data,
    isGone,
    isFailed: error !== null && !isGone && !isFetching,
    reload: () => void refetch(),
  }
}

/**
 * The coupon or the campaign may have ended, or does not hold: the plan stays chosen, without it,
 * and the page says so. A kept coupon stays.
 */
async function load(plan: SelectedPlan): Promise<ReadyOffers> {
  try {
    return { plan, answer: await listOffers(plan) }
  } catch (cause) {
    if (reasonOf(cause) !== 'COUPON_NOT_APPLICABLE') throw cause
  }
  const bare = { ...plan, couponCode: null, couponId: null }
  if ((await keptCoupon())?.couponCode === plan.couponCode) forgetPromoCode()
  const answer = await listOffers(bare)
  writeSelectedPlan(bare)
  return { plan: bare, answer, dropped: plan.couponId === campaignCouponId ? 'campaign' : 'coupon' }
}
