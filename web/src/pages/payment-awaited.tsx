import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function PaymentAwaitedPage() {
  return <h1>{meta[paths.paymentAwaited].title}</h1>
}
