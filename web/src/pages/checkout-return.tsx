import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function CheckoutReturnPage() {
  return <h1>{meta[paths.checkoutReturn].title}</h1>
}
