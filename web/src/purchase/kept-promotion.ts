import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { reasonOf } from '../api/app-error'
import { call } from '../api/call'
import { queryClient } from '../api/query-client'
import type { ListUpsellOffersResponse, Promotion } from '../gen/garimpo/billing/v1/billing_service_pb'
import { read, type SelectedPlan } from '../lib/browser-storage'
import { campaignCouponId } from '../lib/catalog'
import { loadConfig } from '../lib/config'
import { toTimestamp } from '../lib/dates'
import { useStored } from '../lib/use-stored'
import { couponRef } from './coupon'
import { forgetPromoCode } from './forget-promo-code'

/** What the server says of the code for this visitor or account. */
type PromotionOffer =
  | { kind: 'offered'; promotion: Promotion }
  /** Nothing to buy now. */
  | { kind: 'withheld'; promotion?: Promotion | undefined }
  /** Used, removed on another device, refused by the checkout of this account, or no code at all. */
  | { kind: 'over'; why: 'used' | 'removed' | 'refused' | 'no code' }

const promotionQuery = (code: string | null, uid: string | null) =>
  queryOptions({
    queryKey: ['promotion', code, uid],
    queryFn: () => readPromotion(code ?? ''),
    enabled: code !== null,
  })

async function readPromotion(code: string): Promise<PromotionOffer> {
  // A code that has just come is dated by then (attribution/promo-code.ts): it counts anew, also when used before.
  await loadConfig().catch(() => undefined)
  try {
    const { promotion, notOffered } = await call(({ billing }) =>
      billing.getPromotion({ code, keptAt: keptAt() }),
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

/** When the code was kept; undefined until the product's time is known. */
function keptAt() {
  const at = read('promoCodeAt')
  return at ? toTimestamp(new Date(at)) : undefined
}

/**
 * The kept promotion at the prices of the visitor's own checkout; null while it is not known and where it is not
 * offered. A code that is over is forgotten.
 */
export function useKeptPromotion(): Promotion | null {
  const code = useStored('promoCode')
  const data = usePromotionOffer(code)
  const isOver = code !== null && data?.kind === 'over'
  useEffect(() => {
    if (isOver) forgetPromoCode()
  }, [isOver])
  return code !== null && data?.kind === 'offered' ? data.promotion : null
}

/** Whether the checkout of who is signed in refuses the coupon of a code. */
export function useIsCouponRefused(code: string): boolean {
  const offer = usePromotionOffer(code)
  return offer?.kind === 'over' && offer.why === 'refused'
}

export function usePromotionOffer(code: string | null): PromotionOffer | undefined {
  return useQuery(promotionQuery(code, useStored('uid')), queryClient).data
}

/** The coupon of the kept promotion; null where it is not offered, and while the server cannot be asked. */
export async function keptCoupon(): Promise<Pick<SelectedPlan, 'couponCode' | 'couponId'> | null> {
  const code = read('promoCode')
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

/** The offers for a plan, each period at the lowest price of the plan's, the kept and the campaign's coupon. */
export async function listOffers(plan: SelectedPlan): Promise<ListUpsellOffersResponse> {
  const code = read('promoCode')
  const kept = await keptCoupon()
  // The coupon of a choice goes with the code that gave it, which may be removed or replaced.
  const isGone = code === null || (kept !== null && kept.couponCode !== plan.couponCode)
  return call(({ billing }) =>
    billing.listUpsellOffers({
      planId: plan.name,
      couponId: isGone && plan.couponId !== campaignCouponId ? '' : couponRef(plan),
      keptCouponId: kept ? couponRef(kept) : '',
    }),
  )
}
