import { lazy, Suspense, useEffect, useState } from 'react'
import { useCampaign } from '../../../attribution/campaign'
import { betterDeals, campaignDeals, type DealOf, dealReason, promotionDeals } from '../../../catalog/deals'
import { keepDefaultCode } from '../../../catalog/kept-promotion'
import { promoCodeOf } from '../../../catalog/promo-code'
import { useSeemsSignedIn } from '../../../session/session'
import { plans } from '../../../texts/plans'
import { promo as texts } from '../../../texts/promo'
import type { NoteOf } from '../cards/plan-card'
import { Plans, PlansFrame } from '../cards/plans-section'
import { PromoNote } from '../cards/promo-note'
import { FreshChoice } from '../choice/fresh-choice'
import { OpenPayment } from '../choice/open-payment'
import { useOwnPlan } from '../choice/use-own-plan'
import { PromoBanner } from './promo-banner'
import { PromoHero } from './promo-hero'
import { usePromotion } from './use-promotion'

const CouponCheck = lazy(() => import('./coupon-check'))

const NO_DEALS: DealOf = () => null

/**
 * What a code gives: its title and the price of the recommended plan, its coupon, and the plans at
 * the prices that are charged. Opening the page clears a stored selection.
 */
export function Promo() {
  const { code, promotion, pending } = usePromotion()
  const signedIn = useSeemsSignedIn()
  const [isRefused, setRefused] = useState(false)
  const { own, awaitsPayment } = useOwnPlan()
  // A subscriber changes the plan, and a change has no cheaper first month.
  const running = useCampaign() ?? 'none'
  const campaign = own === null ? running : 'none'
  const hasNoDeals = isRefused || own !== null
  const byCode = hasNoDeals ? NO_DEALS : promotionDeals(promotion)
  // The better of the two is charged; on a tie the code.
  const dealOf = betterDeals(byCode, campaignDeals(campaign))
  const noteOf: NoteOf = (plan) => <PromoNote reason={dealReason(dealOf(plan), promotion.couponId)} />
  const leadOf = () => {
    if (own) return texts.plansLeadOwn
    if (isRefused) return plans.leadAwaited
    return campaign === 'none' ? texts.plansLead : texts.plansLeadCampaign
  }
  useKeptDefault(pending)
  return (
    <>
      <PromoHero promotion={promotion} dealOf={dealOf} isWithheld={hasNoDeals} pending={pending} />
      <PromoBanner promotion={promotion} pending={pending} />
      <PlansFrame title={hasNoDeals ? plans.title : texts.plansTitle} lead={leadOf()}>
        <FreshChoice startsCountdown={false} />
        {awaitsPayment && <OpenPayment />}
        {signedIn && code && (
          <Suspense>
            <CouponCheck code={code} couponCode={promotion.couponCode} onRefused={setRefused} />
          </Suspense>
        )}
        <Plans
          dealOf={dealOf}
          noteOf={campaign === 'none' || isRefused ? undefined : noteOf}
          startsCountdown={false}
          pending={pending}
          own={own}
        />
      </PlansFrame>
    </>
  )
}

/** Without a code the page offers the default one, and the browser keeps it like any other. */
function useKeptDefault(pending: boolean) {
  useEffect(() => {
    if (!pending && !promoCodeOf(location.search)) keepDefaultCode()
  }, [pending])
}
