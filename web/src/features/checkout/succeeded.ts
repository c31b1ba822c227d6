import type { GetCheckoutSessionResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { PlanInterval } from '../../gen/garimpo/billing/v1/plan_pb'
import { priceRaw } from '../../lib/money'
import type { CheckoutSucceeded } from '../../purchase/checkout-message'

const WRITTEN: Record<PlanInterval, string> = {
  [PlanInterval.UNSPECIFIED]: '',
  [PlanInterval.MONTHLY]: 'monthly',
  [PlanInterval.QUARTERLY]: 'trimestral',
  [PlanInterval.SEMIANNUAL]: 'semestral',
  [PlanInterval.ANNUAL]: 'anual',
}

/** What was bought, as the server answers it: a checkout that was taken up again has no stored plan. */
export function succeeded({
  planId,
  interval,
  amountTotalCentavos,
}: Pick<GetCheckoutSessionResponse, 'planId' | 'interval' | 'amountTotalCentavos'>): CheckoutSucceeded {
  return {
    type: 'checkout_succeeded',
    plan: planId,
    interval: WRITTEN[interval],
    value: priceRaw(amountTotalCentavos),
  }
}
