import { ManagePlan } from '../../features/account/subscription/manage-plan'
import { ConfirmPayment } from '../../features/checkout/confirm-payment'
import { confirmPayment as texts } from '../../texts/confirm-payment'

export default function ConfirmPaymentPage() {
  return <ConfirmPayment otherCard={<ManagePlan text={texts.otherCard} variant="secondary" />} />
}
