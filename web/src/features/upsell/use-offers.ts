import { skipToken, useQuery } from '@tanstack/react-query'
import { reasonOf } from '../../api/app-error'
import { campaignCouponId } from '../../catalog/catalog'
import { usePromoCode } from '../../catalog/kept-promotion'
import { type SelectedPlan, writeSelectedPlan } from '../../catalog/selected-plan'
import type { ListUpsellOffersResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { useStored } from '../../lib/use-stored'
import { forgetPromoCode, keptCoupon, listOffers } from '../../purchase/promotion'

export type OffersRead =
  | { kind: 'loading' }
  | { kind: 'ready'; plan: SelectedPlan; answer: ListUpsellOffersResponse; dropped?: 'coupon' | 'campaign' }
  /** The plan is not sold (any more). */
  | { kind: 'gone' }
  | { kind: 'failed' }

const LOADING: OffersRead = { kind: 'loading' }

export type ReadyOffers = Extract<OffersRead, { kind: 'ready' }>

/**
 * The offers for the stored plan, computed by the server; `reload` asks again, for instance when
 * the hold ends.
 */
export function useOffers(plan: SelectedPlan | null): { offers: OffersRead; reload: () => void } {
  const code = usePromoCode()
  const uid = useStored('uid')
  const { data, refetch } = useQuery({
    queryKey: ['offers', plan?.planId, plan?.couponId, code, uid],
    queryFn: plan ? () => load(plan) : skipToken,
  })
  return { offers: data ?? LOADING, reload: () => void refetch() }
}

async function load(plan: SelectedPlan): Promise<OffersRead> {
  try {
    return { kind: 'ready', plan, answer: await listOffers(plan) }
  } catch (cause) {
    switch (reasonOf(cause)) {
      case 'COUPON_NOT_APPLICABLE':
        return await loadWithoutCoupon(plan)
      case 'UNKNOWN_PLAN':
      case 'PLAN_NOT_FOR_SALE':
        return { kind: 'gone' }
      default:
        return { kind: 'failed' }
    }
  }
}

/**
 * The coupon or the campaign ended, or does not hold: the plan stays chosen, without it, and the
 * page says so. A kept coupon stays.
 */
async function loadWithoutCoupon(plan: SelectedPlan): Promise<OffersRead> {
  const bare = { ...plan, couponCode: null, couponId: null }
  try {
    if ((await keptCoupon())?.couponCode === plan.couponCode) forgetPromoCode()
    const answer = await listOffers(bare)
    writeSelectedPlan(bare)
    return {
      kind: 'ready',
      plan: bare,
      answer,
      dropped: plan.couponId === campaignCouponId ? 'campaign' : 'coupon',
    }
  } catch {
    return { kind: 'failed' }
  }
}
