import { ManagePlan } from '../features/account/subscription/manage-plan'
import { OpenInvoice } from '../features/account/subscription/open-invoice'
import { OpenBoleto } from '../features/checkout/open-boleto'
import { TrialNote } from '../features/trial/trial-note'
import { Upsell } from '../features/upsell/upsell'

export default function UpsellPage() {
  const notes = (
    <>
      <OpenInvoice />
      <OpenBoleto />
      <TrialNote />
    </>
  )
  return <Upsell trialNote={notes} managePlan={<ManagePlan />} />
}
