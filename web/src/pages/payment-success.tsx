import { PaymentSuccess } from '../features/checkout/payment-success'

export default function PaymentSuccessPage() {
  return <PaymentSuccess />
}
