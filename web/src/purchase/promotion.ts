import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { reasonOf } from '../api/app-error'
import { call, logFailure } from '../api/call'
import { queryClient } from '../api/query-client'
import { campaignCouponId } from '../catalog/catalog'
import { type Coupon, couponRef } from '../catalog/coupon'
import { applyPromotion, isRemovedSince, readKeptPromotion, usePromoCode } from '../catalog/kept-promotion'
import { PROMO_PARAMETERS } from '../catalog/promo-code'
import type { SelectedPlan } from '../catalog/selected-plan'
import type { KeptPromotion } from '../gen/garimpo/auth/v1/auth_service_pb'
import type { ListUpsellOffersResponse, Promotion } from '../gen/garimpo/billing/v1/billing_service_pb'
import { read } from '../lib/browser-storage'
import { loadConfig } from '../lib/config'
import { toDate, toTimestamp } from '../lib/dates'
import { serverNow } from '../lib/server-clock'
import { useStored } from '../lib/use-stored'

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

/**
 * Forgets the code that is not offered, also in the address, where a reload would find it again.
 */
export function forgetPromoCode(): void {
  const { code } = readKeptPromotion()
  if (code !== null) applyPromotion({ kind: 'over', code })
  removeFromAddress()
}

/**
 * The visitor removes the code, and the account does on every device. The time stays: a sign-in
 * gives no code that was kept before it.
 */
export function removePromoCode(): void {
  applyPromotion({ kind: 'removed', at: serverNow().toISOString() })
  removeFromAddress()
  if (read('uid')) void removeFromAccount()
}

/**
 * Keeps the promotion of the account's sign-up in a browser without one. If the visitor removed one
 * since then, before the sign-in, the account removes it too.
 */
export function keepAccountPromotion(promotion: KeptPromotion | undefined): void {
  const at = toDate(promotion?.keptAt)?.toISOString()
  if (!promotion || !at) return
  if (isRemovedSince(readKeptPromotion(), at)) void removeFromAccount()
  applyPromotion({ kind: 'signed-in', code: promotion.code, at })
}

function removeFromAddress(): void {
  const query = new URLSearchParams(location.search)
  const named = PROMO_PARAMETERS.filter((name) => query.has(name))
  if (named.length === 0) return
  for (const name of named) query.delete(name)
  const rest = query.size > 0 ? `?${query}` : ''
  history.replaceState(history.state, '', `${location.pathname}${rest}${location.hash}`)
  // The page and the app's router read the address then.
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
}

/** A failure is only logged: the next sign-in in this browser repeats the call. */
async function removeFromAccount(): Promise<void> {
  await call(({ billing }) => billing.removePromotion({})).catch(
    logFailure('removing the promotion from the account failed'),
  )
}
