import { useSyncExternalStore } from 'react'
import { type Campaign, useCampaign } from '../../lib/campaign'
import { anchors } from '../../lib/paths'
import { plans as texts } from '../../texts/plans'
import { PageLoading } from '../../ui/spinner'
import { type CardPlan, cardGroups, type Deal, planBenefits } from './catalog'
import { PlanCard } from './plan-card'
import styles from './plans-section.module.css'
import { selectedPlan } from './selected-plan'
import { usePlanChoice } from './use-plan-choice'

/** The plans: heading, three cards, and what every plan includes. On the home page and on the plans pages. */
export function PlansSection({ heading: Heading = 'h2' }: { heading?: 'h1' | 'h2' }) {
  const campaign = useCampaign()
  // The built page shows buttons and tabs before its script makes them work.
  const waking = useSyncExternalStore(
    never,
    () => false,
    () => true,
  )
  const Under = Heading === 'h1' ? 'h2' : 'h3'
  return (
    <section className={styles.section} id={anchors.plans} aria-labelledby="plans-title">
      <div className={styles.head}>
        {campaign === 'black-november' && <p className={styles.badge}>{texts.campaign.badge}</p>}
        <Heading id="plans-title" className={styles.title}>
          {texts.title}
        </Heading>
        <p className={styles.lead}>
          {campaign === 'black-november' ? `${texts.campaign.lead} ${texts.campaign.until}` : texts.lead}
        </p>
      </div>
      {campaign ? (
        <div className={styles.cards} aria-busy={waking || undefined}>
          <Cards campaign={campaign} heading={Under} />
          <div className={styles.benefits}>
            <Under className={styles.benefitsTitle}>{texts.benefitsTitle}</Under>
            <ul className={styles.benefitsList}>
              {planBenefits.map((benefit) => (
                <li key={benefit}>{benefit}</li>
              ))}
            </ul>
          </div>
        </div>
      ) : (
        <PageLoading />
      )}
    </section>
  )
}

const never = () => () => undefined

function Cards({ campaign, heading }: { campaign: Campaign; heading: 'h2' | 'h3' }) {
  const { choosing, choose } = usePlanChoice()
  const onChoose = (plan: CardPlan, deal: Deal | null) => void choose(selectedPlan(plan, deal))
  return cardGroups.map((group) => (
    <PlanCard
      key={group.name}
      group={group}
      heading={heading}
      campaign={campaign}
      choosing={choosing}
      onChoose={onChoose}
    />
  ))
}
