import { OpenInvoice } from '../../features/account/subscription/open-invoice'
import { Upsell } from '../../features/upsell/upsell'

export default function UpsellPage() {
  return <Upsell openInvoice={<OpenInvoice />} />
}
