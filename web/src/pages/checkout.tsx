import { ManagePlan } from '../features/account/subscription/manage-plan'
import { Checkout } from '../features/checkout/checkout'
import { OpenBoleto } from '../features/checkout/open-boleto'
import { TrialNote } from '../features/trial/trial-note'

export default function CheckoutPage() {
  return (
    <Checkout
      trialNote={(today) => (
        <>
          <OpenBoleto once />
          <TrialNote todayCentavos={today ?? undefined} />
        </>
      )}
      managePlan={<ManagePlan variant="secondary" />}
    />
  )
}
