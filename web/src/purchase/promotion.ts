import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type PromotionOffer, promotionQuery } from '../api/promotion'
import { queryClient } from '../api/query-client'
import { usePromoCode } from '../catalog/kept-promotion'
import type { Promotion } from '../gen/garimpo/billing/v1/billing_service_pb'
import { useStored } from '../lib/use-stored'
import { forgetPromoCode } from './kept-code'

/**
 * The kept promotion at the prices of the visitor's own checkout; null while it is not known and
 * where it is not offered. A code that is over is forgotten.
 */
export function useKeptPromotion(): Promotion | null {
  const code = usePromoCode()
  const offer = usePromotionOffer(code)
  const isOver = code !== null && (offer?.kind === 'over' || offer?.kind === 'refused')
  useEffect(() => {
    if (isOver) forgetPromoCode()
  }, [isOver])
  return code !== null && offer?.kind === 'offered' ? offer.promotion : null
}

export function usePromotionOffer(code: string | null): PromotionOffer | undefined {
  return useQuery(promotionQuery(code, useStored('uid')), queryClient).data
}
