import { useCampaign } from '../../../attribution/campaign'
import { type PromotionContent, promotionOf } from '../../../catalog/deals'
import { usePromoCode } from '../../../catalog/kept-promotion'
import { promoCodeOf } from '../../../catalog/promo-code'
import { useAddress } from '../../../lib/area'
import { useIsHydrating } from '../../../lib/use-is-hydrating'

/**
 * What the address's code puts on the page, else the kept one. `coded`: the address has one.
 * `pending`: the built page, which is the same for every code.
 */
export function usePromotion(): {
  /** Null while the page is the built one. */
  code: string | null
  promotion: PromotionContent
  coded: boolean
  pending: boolean
} {
  const { search } = useAddress()
  const pending = useIsHydrating()
  const campaign = useCampaign()
  const kept = usePromoCode()
  const named = pending ? null : promoCodeOf(search)
  const code = named ?? kept
  const promotion = promotionOf(code, campaign)
  return { code, promotion, coded: named !== null, pending }
}
