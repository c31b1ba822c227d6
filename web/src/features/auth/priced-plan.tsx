import type { SelectedPlan } from '../../catalog/selected-plan'
import type { Elements } from '../../lib/elements'
import { storedPrice } from '../../lib/money'
import { useFirstPayment } from '../../purchase/first-payment'

/**
 * The chosen plan at the price of its checkout, because a coupon may have come, gone or changed
 * since.
 */
export default function PricedPlan({
  plan,
  children,
}: {
  plan: SelectedPlan
  children: (plan: SelectedPlan) => Elements
}) {
  const payment = useFirstPayment(plan)
  const now = payment && { price: storedPrice(payment.centavos), couponId: payment.couponId }
  return children({ ...plan, ...now })
}
