import type { SelectedPlan } from '../../lib/browser-storage'
import { priceRaw, storedPrice } from '../../lib/money'
import type { CardPlan, Deal } from './catalog'

/** What choosing a plan stores: the monthly plan, at the first-month price shown. */
export function selectedPlan(plan: CardPlan, deal: Deal | null): SelectedPlan {
  const shown = deal?.firstMonthCentavos ?? plan.monthlyCentavos
  return {
    name: plan.name,
    price: storedPrice(shown),
    period: '/mês',
    priceRaw: priceRaw(shown),
    interval: 'month',
    couponCode: deal?.couponCode ?? null,
    couponId: deal?.couponId ?? null,
  }
}
