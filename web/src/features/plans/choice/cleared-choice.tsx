import { owesRenewal } from '../../../api/subscription'
import { planName } from '../../../catalog/plan-names'
import type { SelectedPlan } from '../../../catalog/selected-plan'
import { noBreak } from '../../../lib/no-break'
import { useSubscription } from '../../../purchase/use-subscription'
import { useSeemsSignedIn } from '../../../session/session'
import { clearedChoice as texts } from '../../../texts/plan-notes'
import { Button } from '../../../ui/button'
import { QuietNote } from './quiet-note'
import { usePlanChoice } from './use-plan-choice'

interface Cleared {
  plan: SelectedPlan
  /** Whether a choice starts the countdown of /upsell. */
  startsCountdown: boolean
}

/** Names the choice that opening the page cleared, and takes it up again. */
export default function ClearedChoice(cleared: Cleared) {
  return useSeemsSignedIn() ? <UnlessBought {...cleared} /> : <Note {...cleared} />
}

/** A subscriber changes the plan instead, and who has an open boleto or renewal pays it first. */
function UnlessBought(cleared: Cleared) {
  const { kind, boleto, subscription } = useSubscription()
  const isFree = kind === 'inactive' && !boleto && !owesRenewal(subscription)
  return isFree && <Note {...cleared} />
}

function Note({ plan, startsCountdown }: Cleared) {
  const { choosing, choose } = usePlanChoice(startsCountdown)
  return (
    <QuietNote>
      <p>{texts.chosen(noBreak(planName(plan.planId)))}</p>
      <Button size="sm" variant="secondary" busy={choosing !== null} onClick={() => void choose(plan)}>
        {texts.resume}
      </Button>
    </QuietNote>
  )
}
