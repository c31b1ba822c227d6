import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function PaymentSuccessPage() {
  return <h1>{meta[paths.paymentSuccess].title}</h1>
}
