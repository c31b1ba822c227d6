import { useCampaign } from '../../attribution/campaign'
import { promoCodeOf } from '../../attribution/promo-code'
import { useAddress } from '../../lib/area'
import { useStored } from '../../lib/use-stored'
import { useWaking } from '../../lib/use-waking'
import { type Promotion, promotionOf } from './promotion'

/**
 * What the address's code puts on the page, else the kept one. `coded`: the address has one. `pending`: the built
 * page, which is the same for every code.
 */
export function usePromotion(): {
  /** Null while the page is the built one. */
  code: string | null
  promotion: Promotion
  coded: boolean
  pending: boolean
} {
  const { search } = useAddress()
  const pending = useWaking()
  const campaign = useCampaign()
  const kept = useStored('promoCode')
  const named = pending ? null : promoCodeOf(search)
  const code = named ?? kept
  const promotion = promotionOf(code, campaign)
  return { code, promotion, coded: named !== null, pending }
}
