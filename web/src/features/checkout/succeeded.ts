import { intervalOf } from '../../catalog/intervals'
import type { GetCheckoutSessionResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { priceRaw } from '../../lib/money'
import type { CheckoutSucceeded } from '../../purchase/checkout-message'

/**
 * What was bought, as the server answers it: a checkout that was taken up again has no stored plan.
 */
export function succeeded({
  planId,
  interval,
  amountTotalCentavos,
}: Pick<GetCheckoutSessionResponse, 'planId' | 'interval' | 'amountTotalCentavos'>): CheckoutSucceeded {
  return {
    type: 'checkout_succeeded',
    plan: planId,
    interval: intervalOf(interval)?.stored ?? '',
    value: priceRaw(amountTotalCentavos),
  }
}
