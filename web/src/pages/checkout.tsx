import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function CheckoutPage() {
  return <h1>{meta[paths.checkout].title}</h1>
}
