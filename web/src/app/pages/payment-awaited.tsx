import { PaymentAwaited } from '../../features/checkout/payment-awaited'
import { TrialLeft } from '../../features/trial/trial-left'
import { paymentAwaited } from '../../texts/results'

export default function PaymentAwaitedPage() {
  return <PaymentAwaited trial={<TrialLeft text={paymentAwaited.trial} />} />
}
