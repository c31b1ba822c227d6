import { useCampaign } from '../../../attribution/campaign'
import { type PromotionContent, promotionOf } from '../../../catalog/deals'
import { usePromoCode } from '../../../catalog/kept-promotion'
import { promoCodeOf } from '../../../catalog/promo-code'
import { useAddress } from '../../../lib/area'
import { useIsHydrating } from '../../../lib/use-is-hydrating'

/**
 * The promotion of the address's code, else of the kept one. `pending`: the built page, which is
 * the same for every code.
 */
export function usePromotion(): {
  /** Null while the page is the built one. */
  code: string | null
  promotion: PromotionContent
  pending: boolean
} {
  const { search } = useAddress()
  const pending = useIsHydrating()
  const campaign = useCampaign()
  const kept = usePromoCode()
  const code = (pending ? null : promoCodeOf(search)) ?? kept
  return { code, promotion: promotionOf(code, campaign), pending }
}
