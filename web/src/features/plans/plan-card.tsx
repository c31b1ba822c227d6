import { useState } from 'react'
import { warmUp } from '../../api/call'
import { classNames } from '../../lib/class-names'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { useSeemsSignedIn } from '../../lib/session'
import { plans as texts } from '../../texts/plans'
import { Button, ButtonLink } from '../../ui/button'
import { Link } from '../../ui/link'
import { Tabs } from '../../ui/tabs'
import type { CardGroup, CardPlan, Deal, DealOf } from './catalog'
import { LevelPrice } from './level-price'
import styles from './plan-card.module.css'

/** The level that was last looked at in each card: it still stands when one comes back. */
const lastLevels = new Map<string, number>()

type Choose = (plan: CardPlan, deal: Deal | null) => void

/** One card: a tab per level, and the shown level's name, price, button and features. */
export function PlanCard({
  group,
  heading: Heading,
  dealOf,
  campaignOf,
  choosing,
  onChoose,
}: {
  group: CardGroup
  heading: 'h2' | 'h3'
  dealOf: DealOf
  campaignOf: DealOf | null
  /** Name of the plan that is being chosen right now. */
  choosing: string | null
  onChoose: Choose
}) {
  const [level, setLevel] = useState(lastLevels.get(group.name) ?? 0)
  const look = (next: number) => {
    lastLevels.set(group.name, next)
    setLevel(next)
  }
  const shown = group.plans[level]
  if (!shown) return null
  const { highlight, badge } = shown
  const content = (
    <>
      <div>
        <Heading className={styles.name}>{shown.name}</Heading>
        <p className={styles.main}>{shown.mainFeature}</p>
      </div>
      <Level
        plan={shown}
        deal={dealOf(shown)}
        campaignOf={campaignOf}
        choosing={choosing}
        onChoose={onChoose}
      />
    </>
  )
  return (
    <section className={classNames(styles.card, highlight && styles.highlight)} aria-label={group.name}>
      {badge && <p className={styles.badge}>{badge}</p>}
      <p className={styles.description}>{shown.description}</p>
      {group.plans.length === 1 ? (
        <>
          <div className={styles.mesh} aria-hidden="true" />
          <div className={styles.level}>{content}</div>
        </>
      ) : (
        <Tabs
          label={texts.levels(group.name)}
          tabs={group.plans.map(({ tab, name }) => tab ?? name)}
          selected={level}
          onSelect={look}
          tone={highlight ? 'dark' : 'light'}
          className={styles.level}
        >
          {content}
        </Tabs>
      )}
    </section>
  )
}

function Level({
  plan,
  deal,
  campaignOf,
  choosing,
  onChoose,
}: {
  plan: CardPlan
  deal: Deal | null
  campaignOf: DealOf | null
  choosing: string | null
  onChoose: Choose
}) {
  const signedIn = useSeemsSignedIn()
  const firstMonth = deal?.firstMonthCentavos ?? plan.monthlyCentavos
  const campaignDeal = campaignOf?.(plan)
  return (
    <>
      <LevelPrice
        priceCentavos={firstMonth}
        struckCentavos={deal ? plan.monthlyCentavos : plan.originalCentavos}
        regularCentavos={deal ? plan.monthlyCentavos : null}
      />
      {/* Empty it keeps the line's room, so that the buttons of the three cards stand in one row. */}
      {campaignOf && (
        <p className={styles.campaign}>
          {campaignDeal && campaignDeal.firstMonthCentavos < firstMonth && (
            <Link to={paths.plans}>
              {texts.withoutCoupon(formatCentavos(campaignDeal.firstMonthCentavos))}
            </Link>
          )}
        </p>
      )}
      {/* Only the build writes it; beside it the button, which needs scripts, is not there. */}
      <noscript>
        {import.meta.env.SSR && (
          <ButtonLink wide variant={plan.highlight ? 'gold' : 'primary'} href={paths.signUp}>
            {texts.signUp}
          </ButtonLink>
        )}
      </noscript>
      <Button
        wide
        variant={plan.highlight ? 'gold' : 'primary'}
        busy={choosing === plan.name}
        disabled={choosing !== null}
        onPointerEnter={warm}
        onFocus={warm}
        onClick={() => onChoose(plan, deal)}
      >
        {signedIn ? texts.subscribe : plan.buttonText}
      </Button>
      <ul className={styles.features} aria-label={texts.includes}>
        {plan.features.map((feature) => (
          <li key={feature}>{feature}</li>
        ))}
      </ul>
    </>
  )
}

/** The choice asks the server who is choosing: its code may come before the click. */
function warm() {
  warmUp().catch(() => undefined)
}
