import { ManagePlan } from '../../features/account/subscription/manage-plan'
import { Checkout } from '../../features/checkout/checkout'
import { OpenBoleto } from '../../features/checkout/open-boleto'
import { TrialLine } from '../../features/trial/trial-line'

export default function CheckoutPage() {
  return (
    <Checkout
      notices={<OpenBoleto once />}
      trialLine={(today) => <TrialLine todayCentavos={today} />}
      managePlan={<ManagePlan variant="secondary" />}
    />
  )
}
