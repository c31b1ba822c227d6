import { PaymentAwaited } from '../../features/checkout/payment-awaited'
import { TrialLeft } from '../../features/trial/trial'
import { paymentAwaited } from '../../texts/results'

export default function PaymentAwaitedPage() {
  return <PaymentAwaited trial={<TrialLeft text={paymentAwaited.trial} />} />
}
