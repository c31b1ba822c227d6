import { queryOptions, skipToken } from '@tanstack/react-query'
import { campaignCouponId } from '../catalog/catalog'
import { type Coupon, couponRef } from '../catalog/coupon'
import { readKeptPromotion } from '../catalog/kept-promotion'
import type { SelectedPlan } from '../catalog/selected-plan'
import type { ListUpsellOffersResponse, Promotion } from '../gen/garimpo/billing/v1/billing_service_pb'
import { loadConfig } from '../lib/config'
import { toTimestamp } from '../lib/dates'
import { reasonOf } from './app-error'
import { call } from './call'
import { queryClient } from './query-client'

/** The promotion of a code, as the server offers it to this visitor or account. */
export type PromotionOffer =
  | { kind: 'offered'; promotion: Promotion }
  /** Nothing to buy now. */
  | { kind: 'withheld'; promotion?: Promotion | undefined }
  /** By the checkout of this account. */
  | { kind: 'refused' }
  /** Used, removed on another device, or no code at all. */
  | { kind: 'over' }

export const promotionQuery = (code: string | null, uid: string | null) =>
  queryOptions({
    queryKey: ['promotion', { code, uid }],
    queryFn: () => readPromotion(code ?? ''),
    enabled: code !== null,
    // The offer depends on when the code was kept too, and a code is kept again at another time.
    staleTime: 0,
  })

async function readPromotion(code: string): Promise<PromotionOffer> {
  // A new code is dated by then (catalog/kept-promotion.ts), so it counts again after its use.
  await loadConfig().catch(() => undefined)
  const { keptAt } = readKeptPromotion()
  try {
    const { promotion, notOffered } = await call(({ billing }) =>
      billing.getPromotion({ code, keptAt: keptAt ? toTimestamp(new Date(keptAt)) : undefined }),
    )
    if (promotion && notOffered === '') return { kind: 'offered', promotion }
    if (notOffered === 'subscribed') return { kind: 'withheld', promotion }
    return { kind: notOffered === 'used' || notOffered === 'removed' ? 'over' : 'refused' }
  } catch (cause) {
    if (reasonOf(cause) === 'INVALID_ARGUMENT') return { kind: 'over' }
    throw cause
  }
}

/** The offers for a plan. */
export interface PlanOffers {
  /** Without the coupon that was dropped. */
  plan: SelectedPlan
  answer: ListUpsellOffersResponse
  /** What the choice has lost since it was made: the server refused its coupon. */
  dropped?: 'coupon' | 'campaign'
  /** Whether the dropped coupon is that of the kept code. */
  isCodeRefused?: boolean
}

/** The offers for a plan, while `code` is kept. */
export const offersQuery = (plan: SelectedPlan | null, code: string | null, uid: string | null) =>
  queryOptions({
    queryKey: ['offers', { planId: plan?.planId, coupon: plan && couponRef(plan), code, uid }],
    queryFn: plan ? () => readOffers(plan, code, uid) : skipToken,
  })

async function readOffers(plan: SelectedPlan, code: string | null, uid: string | null): Promise<PlanOffers> {
  const kept = await keptCoupon(code, uid)
  try {
    return { plan, answer: await listOffers(plan, code, kept) }
  } catch (cause) {
    if (reasonOf(cause) !== 'COUPON_NOT_APPLICABLE') throw cause
  }
  const bare = { ...plan, couponCode: null, couponId: null }
  const isCodeRefused = kept?.couponCode === plan.couponCode
  const answer = await listOffers(bare, code, isCodeRefused ? null : kept)
  const dropped = plan.couponId === campaignCouponId ? 'campaign' : 'coupon'
  return { plan: bare, answer, dropped, isCodeRefused }
}

/** The coupon of a kept code; null where it is not offered, and where the server does not reply. */
async function keptCoupon(code: string | null, uid: string | null): Promise<Coupon | null> {
  if (code === null) return null
  const offer = await queryClient.query(promotionQuery(code, uid)).catch(() => null)
  return offer?.kind === 'offered' ? offer.promotion : null
}

/** Each period at the lowest price of the plan's, the kept and the campaign's coupon. */
function listOffers(plan: SelectedPlan, code: string | null, kept: Coupon | null) {
  // The coupon of a choice counts only while the code that gave it is kept.
  const isGone = code === null || (kept !== null && kept.couponCode !== plan.couponCode)
  return call(({ billing }) =>
    billing.listUpsellOffers({
      planId: plan.planId,
      couponId: isGone && plan.couponId !== campaignCouponId ? '' : couponRef(plan),
      keptCouponId: kept ? couponRef(kept) : '',
    }),
  )
}
