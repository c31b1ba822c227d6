import { planName } from '../../../catalog/plan-names'
import type {
  PlanChangeLine,
  PreviewPlanChangeResponse,
} from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate, toDate } from '../../../lib/dates'
import { planChange } from '../../../texts/plan-change'

const texts = planChange.review

/**
 * The invoice's lines, then the other parts of the amount. Their sum is charged or becomes credit.
 */
export function planBill(preview: PreviewPlanChangeResponse) {
  const others = [
    { text: texts.earlier, centavos: preview.earlierCentavos },
    { text: texts.creditUsed, centavos: -preview.creditUsedCentavos },
    { text: texts.carried, centavos: -preview.carriedCentavos },
  ]
  return [
    ...preview.lines.map((line) => ({ text: lineText(line), centavos: line.amountCentavos })),
    ...others.filter(({ centavos }) => centavos !== 0n),
  ]
}

function lineText({ planId, amountCentavos, endsAt }: PlanChangeLine): string {
  const end = toDate(endsAt)
  const plan = planName(planId)
  if (amountCentavos < 0n || !end) return texts.unused(plan)
  return texts.time(plan, formatDate(end))
}
