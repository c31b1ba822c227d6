import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function PaymentCanceledPage() {
  return <h1>{meta[paths.paymentCanceled].title}</h1>
}
