import { formatDate, formatMoment } from '../../lib/dates'
import { type Centavos, formatCentavos } from '../../lib/money'
import { checkout } from '../../texts/checkout'
import { useTrial } from './use-trial'

/** How a payment made now stands to the running trial, in one line beside its amount. */
export function TrialLine({ todayCentavos }: { todayCentavos: Centavos | null }) {
  const trial = useTrial()
  if (trial.kind !== 'running') return null
  const { charged, later } = checkout.trial
  return (
    <p>
      {trial.firstChargeAt && todayCentavos !== null
        ? later(formatCentavos(todayCentavos), formatMoment(trial.firstChargeAt))
        : charged(formatDate(trial.end))}
    </p>
  )
}
