import { CheckoutReturn } from '../features/checkout/checkout-return'

export default function CheckoutReturnPage() {
  return <CheckoutReturn />
}
