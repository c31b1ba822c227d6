import { warmUp } from '../../../api/call'
import type { CardPlan } from '../../../catalog/catalog'
import type { Deal } from '../../../catalog/deals'
import { paths, planChangeOf } from '../../../lib/paths'
import { useSeemsSignedIn } from '../../../session/session'
import { plans as texts } from '../../../texts/plans'
import { Button, ButtonLink } from '../../../ui/button'
import styles from './plan-buttons.module.css'

/** How a plan is chosen. */
export interface PlanActions {
  /** Id of the plan that the visitor pays for. */
  own: string | null
  /** Id of the plan that is being chosen right now. */
  choosing: string | null
  onChoose: (plan: CardPlan, deal: Deal | null) => void
}

/**
 * The buttons of a plan. Those of a subscriber lead to the plan change, and on the current plan to
 * the account.
 */
export function PlanButtons({
  plan,
  deal,
  own,
  choosing,
  onChoose,
  label,
  titleId,
}: PlanActions & {
  plan: CardPlan
  deal: Deal | null
  /** The button's text for a visitor without a subscription. Default: the text of the card. */
  label?: string
  /** The heading of the plan, which describes each button. */
  titleId?: string
}) {
  const signedIn = useSeemsSignedIn()
  const onDark = plan.highlight && !label
  const main = onDark ? 'gold' : 'primary'
  const other = onDark ? 'light' : 'secondary'
  return (
    <div className={styles.buttons} data-subscriber={(own && !label) || undefined}>
      {own === plan.id ? (
        <ButtonLink wide variant={other} to={paths.account} aria-describedby={titleId}>
          {texts.seeOwn}
        </ButtonLink>
      ) : (
        <>
          {own && (
            <ButtonLink wide variant={main} to={planChangeOf(plan.id)} aria-describedby={titleId}>
              {label ? texts.changeTo(plan.name) : texts.changeToThis}
            </ButtonLink>
          )}
          {!(own && label) && (
            <Button
              wide
              variant={own ? other : main}
              busy={choosing === plan.id}
              disabled={choosing !== null}
              aria-describedby={titleId}
              // Choosing calls GetSession. The code of calls loads before the click.
              onPointerEnter={warmUp}
              onFocus={warmUp}
              onClick={() => onChoose(plan, deal)}
            >
              {label ?? (signedIn ? texts.subscribe : plan.buttonText)}
            </Button>
          )}
        </>
      )}
    </div>
  )
}
