import { ManagePlan } from '../features/account/manage-plan'
import { TrialNote } from '../features/trial/trial-note'
import { Upsell } from '../features/upsell/upsell'

export default function UpsellPage() {
  return <Upsell trialNote={<TrialNote />} managePlan={<ManagePlan />} />
}
