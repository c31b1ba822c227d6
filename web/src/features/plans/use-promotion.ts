import { useEffect, useMemo } from 'react'
import { useLocation } from 'react-router-dom'
import { type StorageKey, write } from '../../lib/browser-storage'
import { useCampaign } from '../../lib/campaign'
import { useWaking } from '../../lib/use-waking'
import { type Promotion, promoCodeOf, promotionOf } from './promotion'

/**
 * What the address's code puts on the page. `coded`: there is one. `pending`: the built
 * page, which is the same for every code.
 */
export function usePromotion(): { promotion: Promotion; coded: boolean; pending: boolean } {
  const { search } = useLocation()
  const pending = useWaking()
  const campaign = useCampaign()
  const code = pending ? null : promoCodeOf(search)
  const promotion = useMemo(() => promotionOf(code, campaign), [code, campaign])
  return { promotion, coded: code !== null, pending }
}

/** Query values that are kept under another name (spec section 9), cut to a sane length. */
const KEPT = { campaign: 'campaign_id', ref: 'referral' } as const satisfies Record<string, StorageKey>
const LONGEST = 200

/** Keeps where the visitor came from. */
export function useReferral(): void {
  const { search } = useLocation()
  useEffect(() => {
    const query = new URLSearchParams(search)
    for (const [name, key] of Object.entries(KEPT)) {
      const value = query.get(name)?.trim()
      if (value) write(key, value.slice(0, LONGEST))
    }
  }, [search])
}
