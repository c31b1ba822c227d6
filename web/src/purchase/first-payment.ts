import { useQuery } from '@tanstack/react-query'
import { reasonOf } from '../api/app-error'
import { queryClient } from '../api/query-client'
import { read, type SelectedPlan } from '../lib/browser-storage'
import { useStored } from '../lib/use-stored'
import { couponRef } from './coupon'
import { listOffers } from './kept-promotion'

/** First payment of the stored plan as its checkout asks for it now; null while it is not known. */
export function useFirstPayment(plan: SelectedPlan): bigint | null {
  const { name, interval } = plan
  const { data } = useQuery(
    {
      queryKey: ['first payment', name, interval, couponRef(plan), useStored('promoCode'), read('uid')],
      queryFn: () => firstPayment(plan),
    },
    queryClient,
  )
  return data ?? null
}

async function firstPayment(plan: SelectedPlan): Promise<bigint> {
  try {
    return await listed(plan)
  } catch (cause) {
    // /upsell goes on without a coupon that does not hold, and says so.
    if (reasonOf(cause) === 'COUPON_NOT_APPLICABLE')
      return listed({ ...plan, couponCode: null, couponId: null })
    throw cause
  }
}

async function listed(plan: SelectedPlan): Promise<bigint> {
  const { offers, selectedPriceCentavos } = await listOffers(plan)
  return offers.find(({ interval }) => interval === plan.interval)?.priceCentavos ?? selectedPriceCentavos
}
