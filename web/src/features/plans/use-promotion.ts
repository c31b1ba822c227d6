import { useMemo } from 'react'
import { useCampaign } from '../../attribution/campaign'
import { useSearch } from '../../lib/location'
import { useWaking } from '../../lib/use-waking'
import { type Promotion, promoCodeOf, promotionOf } from './promotion'

/**
 * What the address's code puts on the page. `coded`: there is one. `pending`: the built
 * page, which is the same for every code.
 */
export function usePromotion(): { promotion: Promotion; coded: boolean; pending: boolean } {
  const search = useSearch()
  const pending = useWaking()
  const campaign = useCampaign()
  const code = pending ? null : promoCodeOf(search)
  const promotion = useMemo(() => promotionOf(code, campaign), [code, campaign])
  return { promotion, coded: code !== null, pending }
}
