import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { reasonOf } from '../../api/app-error'
import { offersQuery } from '../../api/promotion'
import { usePromoCode } from '../../catalog/kept-promotion'
import { type SelectedPlan, writeSelectedPlan } from '../../catalog/selected-plan'
import { useStored } from '../../lib/use-stored'
import { forgetPromoCode } from '../../purchase/kept-code'

/**
 * The offers for the stored plan, computed by the server; `reload` asks again, for instance when
 * the hold ends. `isGone`: the plan is not sold. A coupon that the server refuses is dropped from
 * the stored plan.
 */
export function useOffers(plan: SelectedPlan | null) {
  const query = offersQuery(plan, usePromoCode(), useStored('uid'))
  const { data: offers, error, isFetching, refetch } = useQuery(query)
  useEffect(() => {
    if (!offers?.dropped) return
    if (offers.isCodeRefused) forgetPromoCode()
    writeSelectedPlan(offers.plan)
  }, [offers])
  const isGone = error !== null && ['UNKNOWN_PLAN', 'PLAN_NOT_FOR_SALE'].includes(reasonOf(error))
  return {
    offers,
    isGone,
    isFailed: error !== null && !isGone && !isFetching,
    reload: () => void refetch(),
  }
}
