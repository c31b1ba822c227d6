import { OpenInvoice } from '../../features/account/subscription/open-invoice'
import { PaymentCanceled } from '../../features/checkout/payment-canceled'

export default function PaymentCanceledPage() {
  return <PaymentCanceled openInvoice={<OpenInvoice />} />
}
