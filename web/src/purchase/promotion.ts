import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { reasonOf } from '../api/app-error'
import { call } from '../api/call'
import { queryClient } from '../api/query-client'
import { campaignCouponId } from '../catalog/catalog'
import { type Coupon, couponRef } from '../catalog/coupon'
import { readKeptPromotion, usePromoCode } from '../catalog/kept-promotion'
import type { SelectedPlan } from '../catalog/selected-plan'
import type { ListUpsellOffersResponse, Promotion } from '../gen/garimpo/billing/v1/billing_service_pb'
import { read } from '../lib/browser-storage'
import { loadConfig } from '../lib/config'
import { toTimestamp } from '../lib/dates'
import { useStored } from '../lib/use-stored'
import { forgetPromoCode } from './kept-code'

/** The promotion of a code, as the server offers it to this visitor or account. */
type PromotionOffer =
  | { kind: 'offered'; promotion: Promotion }
  /** Nothing to buy now. */
  | { kind: 'withheld'; promotion?: Promotion | undefined }
  /**
   * Used, removed on another device, refused by the checkout of this account, or no code at all.
   */
  | { kind: 'over'; why: 'used' | 'removed' | 'refused' | 'no code' }

const promotionQuery = (code: string | null, uid: string | null) =>
  queryOptions({
    queryKey: ['promotion', code, uid],
    queryFn: () => readPromotion(code ?? ''),
    enabled: code !== null,
  })

async function readPromotion(code: string): Promise<PromotionOffer> {
  // A new code is dated by then (catalog/kept-promotion.ts): it counts anew, also when used before.
  await loadConfig().catch(() => undefined)
  const { keptAt } = readKeptPromotion()
  try {
    const { promotion, notOffered } = await call(({ billing }) =>
      billing.getPromotion({ code, keptAt: keptAt ? toTimestamp(new Date(keptAt)) : undefined }),
    )
    if (promotion && notOffered === '') return { kind: 'offered', promotion }
    if (notOffered === 'subscribed') return { kind: 'withheld', promotion }
    if (notOffered === 'used' || notOffered === 'removed') return { kind: 'over', why: notOffered }
    return { kind: 'over', why: 'refused' }
  } catch (cause) {
    if (reasonOf(cause) === 'INVALID_ARGUMENT') return { kind: 'over', why: 'no code' }
    throw cause
  }
}

/**
 * The kept promotion at the prices of the visitor's own checkout; null while it is not known and
 * where it is not offered. A code that is over is forgotten.
 */
export function useKeptPromotion(): Promotion | null {
  const code = usePromoCode()
  const offer = usePromotionOffer(code)
  const isOver = code !== null && offer?.kind === 'over'
  useEffect(() => {
    if (isOver) forgetPromoCode()
  }, [isOver])
  return code !== null && offer?.kind === 'offered' ? offer.promotion : null
}

/** Whether the checkout of a signed-in visitor refuses the coupon of a code. */
export function useIsCouponRefused(code: string): boolean {
  const offer = usePromotionOffer(code)
  return offer?.kind === 'over' && offer.why === 'refused'
}

export function usePromotionOffer(code: string | null): PromotionOffer | undefined {
  return useQuery(promotionQuery(code, useStored('uid')), queryClient).data
}

/**
 * The coupon of the kept promotion; null where it is not offered, and while the server cannot be
 * asked.
 */
export async function keptCoupon(): Promise<Coupon | null> {
  const { code } = readKeptPromotion()
  if (code === null) return null
  try {
    const offer = await queryClient.fetchQuery(promotionQuery(code, read('uid')))
    if (offer.kind !== 'offered') return null
    const { couponCode, couponId } = offer.promotion
    return { couponCode, couponId }
  } catch {
    return null
  }
}

/**
 * The offers for a plan, each period at the lowest price of the plan's, the kept and the campaign's
 * coupon.
 */
export async function listOffers(plan: SelectedPlan): Promise<ListUpsellOffersResponse> {
  const { code } = readKeptPromotion()
  const kept = await keptCoupon()
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
