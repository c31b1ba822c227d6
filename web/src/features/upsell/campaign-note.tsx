import { useId } from 'react'
import { useCampaign } from '../../attribution/campaign'
import { campaignLastDay } from '../../catalog/catalog'
import { campaignSwap, isInCampaign } from '../../catalog/deals'
import { cardChoice, type SelectedPlan } from '../../catalog/selected-plan'
import { formatCentavos } from '../../lib/money'
import { noBreak } from '../../lib/no-break'
import { CampaignEnd } from '../../parts/trial'
import { campaignSwap as texts } from '../../texts/campaign'
import { Button } from '../../ui/button'
import styles from './upsell.module.css'

/**
 * What the campaign is to the chosen plan: its price ends before the trial, or another plan costs
 * as much. Nothing for every other plan.
 */
export function CampaignNote({
  plan,
  priceCentavos,
  onSwap,
}: {
  plan: SelectedPlan
  /** The first month of the plan, as the server has it. */
  priceCentavos: bigint
  onSwap: (plan: SelectedPlan) => void
}) {
  const text = useId()
  const runs = useCampaign() === 'black-november'
  if (isInCampaign(plan)) return <CampaignEnd />
  const swap = runs ? campaignSwap(plan) : null
  if (!swap || BigInt(swap.deal.firstMonthCentavos) !== priceCentavos) return null
  return (
    <div className={styles.swap}>
      <p id={text}>
        <strong>{texts.text(campaignLastDay, noBreak(swap.plan.name))}</strong>{' '}
        <span>{texts.later(formatCentavos(swap.plan.monthlyCentavos))}</span>
      </p>
      <Button
        size="sm"
        variant="secondary"
        aria-describedby={text}
        onClick={() => onSwap(cardChoice(swap.plan, swap.deal))}
      >
        {texts.swap}
      </Button>
    </div>
  )
}
