import { ManagePlan } from '../../features/account/subscription/manage-plan'
import { OpenInvoice } from '../../features/account/subscription/open-invoice'
import { OpenBoleto } from '../../features/checkout/boleto'
import { CampaignEnd, TrialFirst } from '../../features/trial/trial'
import { Upsell } from '../../features/upsell/upsell'

export default function UpsellPage() {
  const notes = (
    <>
      <OpenInvoice />
      <OpenBoleto />
    </>
  )
  return (
    <Upsell
      trialFirst={<TrialFirst />}
      notes={notes}
      campaignEnd={<CampaignEnd />}
      managePlan={<ManagePlan variant="secondary" />}
    />
  )
}
