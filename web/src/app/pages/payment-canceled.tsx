import { OpenInvoice } from '../../features/account/subscription/open-invoice'
import { PaymentCanceled } from '../../features/checkout/payment-canceled'
import { TrialLeft } from '../../features/trial/trial'
import { paymentCanceled } from '../../texts/results'

export default function PaymentCanceledPage() {
  return <PaymentCanceled trial={<TrialLeft text={paymentCanceled.trial} />} openInvoice={<OpenInvoice />} />
}
