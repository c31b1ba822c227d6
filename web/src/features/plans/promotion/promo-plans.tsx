import { lazy, Suspense, useEffect, useState } from 'react'
import { useCampaign } from '../../../attribution/campaign'
import { betterDeals, campaignDeals, campaignNote, promotionDeals } from '../../../catalog/deals'
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
import { usePromotion } from './use-promotion'

const CouponCheck = lazy(() => import('./coupon-check'))

/** Without a code the page offers the default one, and the browser keeps it like any other. */
function useKeptDefault(pending: boolean) {
  useEffect(() => {
    if (!pending && !promoCodeOf(location.search)) keepDefaultCode()
  }, [pending])
}

/** The discounted plans of the promotional pages. Opening them clears a stored selection. */
export function PromoPlans() {
  const { code, promotion, coded, pending } = usePromotion()
  const signedIn = useSeemsSignedIn()
  const [isRefused, setRefused] = useState(false)
  const { own, awaitsPayment } = useOwnPlan()
  const running = useCampaign() ?? 'none'
  // A subscriber changes the plan, and a change has no cheaper first month.
  const hasNoDeals = isRefused || own !== null
  const campaign = own ? 'none' : running
  // The code of the address wins over the campaign; nobody pays more for having none.
  const byCode = hasNoDeals ? () => null : promotionDeals(promotion)
  const dealOf = coded && !hasNoDeals ? byCode : betterDeals(byCode, campaignDeals(campaign))
  const runs = campaign === 'black-november'
  const noteOf: NoteOf = (plan) => <PromoNote note={campaignNote(plan, dealOf(plan), coded)} />
  useKeptDefault(pending)
  return (
    <PlansFrame
      title={hasNoDeals ? plans.title : texts.plansTitle}
      lead={own ? texts.plansLeadOwn : isRefused ? plans.leadAwaited : texts.plansLead}
    >
      <FreshChoice holds={false} />
      {awaitsPayment && <OpenPayment />}
      {signedIn && code && (
        <Suspense>
          <CouponCheck code={code} couponCode={promotion.couponCode} onRefused={setRefused} />
        </Suspense>
      )}
      <Plans dealOf={dealOf} noteOf={runs ? noteOf : undefined} holds={false} pending={pending} own={own} />
    </PlansFrame>
  )
}
