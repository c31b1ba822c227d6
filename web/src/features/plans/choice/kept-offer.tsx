import { useEffect } from 'react'
import type { Campaign } from '../../../catalog/catalog'
import { betterDeals, campaignDeals, type DealOf, dealReason } from '../../../catalog/deals'
import { usePromoCode } from '../../../catalog/kept-promotion'
import { promoCodeOf } from '../../../catalog/promo-code'
import type { Promotion } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { useAddress } from '../../../lib/area'
import { useKeptPromotion, usePromotionOffer } from '../../../purchase/promotion'
import { keptCoupon as texts } from '../../../texts/kept-coupon'
import { withheldCoupon } from '../../../texts/plan-notes'
import { KeptCoupon } from '../../../ui/kept-coupon'
import type { NoteOf } from '../cards/plan-card'
import { PromoNote } from '../cards/promo-note'
import styles from '../cards/promo-note.module.css'
import { QuietNote } from './quiet-note'

/** Prices and notes of a kept promotion on the cards. */
export interface PlansOffer {
  dealOf: DealOf
  noteOf: NoteOf
}

/**
 * Says that the kept promotion is still offered, and hands its prices to the cards. To a subscriber
 * who followed a link with a code, that its coupon is for a new subscription.
 */
export default function KeptOffer({
  campaign,
  subscribes,
  onOffer,
}: {
  campaign: Campaign
  subscribes: boolean
  onOffer: (offer: PlansOffer | null) => void
}) {
  const promotion = useKeptPromotion()
  const offer = usePromotionOffer(usePromoCode())
  const brought = promoCodeOf(useAddress().search) !== null
  // Not a hook of the cards, because every page with plans would load the queries at once.
  useEffect(() => {
    onOffer(promotion && plansOffer(promotion, campaign))
    return () => onOffer(null)
  }, [promotion, campaign, onOffer])
  if (promotion)
    return (
      <div className={styles.kept}>
        <KeptCoupon
          code={promotion.couponCode}
          text={campaign === 'black-november' ? texts.plansInCampaign : texts.plans}
        />
      </div>
    )
  return (
    subscribes &&
    brought &&
    offer?.kind === 'withheld' &&
    offer.promotion && (
      <QuietNote>
        <p>{withheldCoupon(offer.promotion.couponCode)}</p>
      </QuietNote>
    )
  )
}

/**
 * In the campaign each plan has the lower of the two first months, and the card names the coupon.
 */
function plansOffer(promotion: Promotion, campaign: Campaign): PlansOffer {
  const dealOf = betterDeals(dealsOf(promotion), campaignDeals(campaign))
  return {
    dealOf,
    noteOf: (plan) => <PromoNote reason={dealReason(dealOf(plan), promotion.couponId)} />,
  }
}

/** The first months as the server computed them. */
function dealsOf({ couponCode, couponId, prices }: Promotion): DealOf {
  const reduced = prices.filter(({ firstMonthCentavos, priceCentavos }) => firstMonthCentavos < priceCentavos)
  const firstMonths = new Map(
    reduced.map(({ planId, firstMonthCentavos }) => [planId, Number(firstMonthCentavos)]),
  )
  return ({ id }) => {
    const firstMonthCentavos = firstMonths.get(id)
    return firstMonthCentavos === undefined ? null : { firstMonthCentavos, couponCode, couponId }
  }
}
