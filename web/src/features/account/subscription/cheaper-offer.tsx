import type { Subscription } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatCentavos } from '../../../lib/money'
import { noBreak } from '../../../lib/no-break'
import { cancelForm } from '../../../texts/billing-dialogs'
import { intervalOf } from '../../../texts/intervals'
import { Button } from '../../../ui/button'
import { useDialogRead } from '../dialogs/use-dialog-read'
import { cheapestPlan } from '../plan-change/cheapest-plan'
import settings from '../settings.module.css'

/** A cheaper plan for somebody who cancels because of the price. */
export function CheaperOffer({
  present,
  disabled,
  onTake,
}: {
  present: Subscription
  disabled: boolean
  onTake: (planId: string) => void
}) {
  const texts = cancelForm.cheaper
  const { content } = useDialogRead(true, 'plans', ({ billing }) => billing.listPlans({}))
  const plan = content.kind === 'ready' ? cheapestPlan(content.answer.plans, present) : null
  return (
    <div role="status">
      {plan && (
        <div className={settings.check}>
          <p>{texts.text}</p>
          <Button size="sm" disabled={disabled} onClick={() => onTake(plan.id)}>
            {texts.take(
              noBreak(plan.name),
              `${formatCentavos(plan.priceCentavos)}${intervalOf(present.interval)?.period ?? ''}`,
            )}
          </Button>
        </div>
      )}
    </div>
  )
}
