import { ManagePlan } from '../../features/account/subscription/manage-plan'
import { OpenBoleto } from '../../features/checkout/boleto'
import { Checkout } from '../../features/checkout/checkout'
import { TrialLine } from '../../features/trial/trial'

export default function CheckoutPage() {
  return (
    <Checkout
      notices={<OpenBoleto once />}
      trialLine={(today) => <TrialLine todayCentavos={today} />}
      managePlan={<ManagePlan variant="secondary" />}
    />
  )
}
