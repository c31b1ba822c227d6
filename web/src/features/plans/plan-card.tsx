import { type ReactNode, useState } from 'react'
import { warmUp } from '../../api/call'
import { classNames } from '../../lib/class-names'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { useSeemsSignedIn } from '../../session/session'
import { plans as texts } from '../../texts/plans'
import { Button, ButtonLink } from '../../ui/button'
import { Tabs } from '../../ui/tabs'
import type { CardGroup, CardPlan, Deal, DealOf } from './catalog'
import { LevelPrice } from './level-price'
import styles from './plan-card.module.css'

/** The level that was last looked at in each card: it still stands when one comes back. */
const lastLevels = new Map<string, number>()

type Choose = (plan: CardPlan, deal: Deal | null) => void

/** What a page says of the shown plan's price, between it and the button. */
export type NoteOf = (plan: CardPlan) => ReactNode

/** One card: a tab per level, and the shown level's name, price, button and features. */
export function PlanCard({
  group,
  heading: Heading,
  dealOf,
  noteOf,
  choosing,
  onChoose,
}: {
  group: CardGroup
  heading: 'h2' | 'h3'
  dealOf: DealOf
  noteOf: NoteOf | undefined
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
        note={noteOf?.(shown)}
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
  note,
  choosing,
  onChoose,
}: {
  plan: CardPlan
  deal: Deal | null
  note: ReactNode
  choosing: string | null
  onChoose: Choose
}) {
  const signedIn = useSeemsSignedIn()
  return (
    <>
      <LevelPrice
        priceCentavos={deal?.firstMonthCentavos ?? plan.monthlyCentavos}
        struckCentavos={deal ? plan.monthlyCentavos : plan.originalCentavos}
        regularCentavos={deal ? plan.monthlyCentavos : null}
      />
      {note}
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
        // The choice asks the server who is choosing: its code may come before the click.
        onPointerEnter={warmUp}
        onFocus={warmUp}
        onClick={() => onChoose(plan, deal)}
      >
        {signedIn ? texts.subscribe : plan.buttonText}
      </Button>
      {!signedIn && <p className={styles.trial}>{trialNote(plan, deal)}</p>}
      <ul className={styles.features} aria-label={texts.includes}>
        {plan.features.map((feature) => (
          <li key={feature}>{feature}</li>
        ))}
      </ul>
    </>
  )
}

/** What the button of a visitor begins, and what the plan costs after it. */
function trialNote({ monthlyCentavos }: CardPlan, deal: Deal | null): string {
  const monthly = `${formatCentavos(monthlyCentavos)}${texts.perMonth}`
  return texts.trialNote(deal ? texts.trialThen(formatCentavos(deal.firstMonthCentavos), monthly) : monthly)
}
