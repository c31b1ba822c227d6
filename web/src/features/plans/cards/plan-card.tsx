import { type ComponentProps, useId } from 'react'
import type { CardGroup, CardPlan } from '../../../catalog/catalog'
import type { DealOf } from '../../../catalog/deals'
import { classNames } from '../../../lib/class-names'
import type { Elements } from '../../../lib/elements'
import { type Centavos, formatCentavos } from '../../../lib/money'
import { paths } from '../../../lib/paths'
import { useSeemsSignedIn } from '../../../session/session'
import { plans as texts } from '../../../texts/plans'
import { ButtonLink } from '../../../ui/button'
import { Price, StruckPrice } from '../../../ui/price'
import { StepperTabs } from '../../../ui/stepper-tabs'
import { Tabs } from '../../../ui/tabs'
import levelPrice from './level-price.module.css'
import { type PlanActions, PlanButtons } from './plan-buttons'
import styles from './plan-card.module.css'
import { cardNote } from './price-note'
import type { ShownLevel } from './use-shown-levels'

/** A note of the page on the shown plan's price, between price and button. */
export type NoteOf = (plan: CardPlan) => Elements

/** One card: its levels, and the shown level's name, price, button and features. */
export function PlanCard({
  group,
  heading: Heading,
  shown: { at, before },
  onLook,
  ...offer
}: {
  group: CardGroup
  heading: 'h2' | 'h3'
  shown: ShownLevel
  onLook: (level: number) => void
} & Offer) {
  const titleId = useId()
  const shown = group.plans[at]
  if (!shown) return null
  const { highlight, badge } = shown
  return (
    <section className={classNames(styles.card, highlight && styles.highlight)} aria-label={group.name}>
      {badge && <p className={styles.badge}>{badge}</p>}
      <p className={styles.description}>{shown.description}</p>
      <Levels group={group} selected={at} onSelect={onLook} tone={highlight ? 'dark' : 'light'}>
        <div>
          <Heading className="title-md" id={titleId}>
            <span>{shown.name}</span>
            {shown.id === offer.own && (
              <span>
                {' '}
                <span className={styles.own}>{texts.own}</span>
              </span>
            )}
          </Heading>
          <p className={styles.main}>{shown.mainFeature}</p>
        </div>
        <Level
          plan={shown}
          missing={group.plans.length === 1 ? group.missing : null}
          before={before === null ? undefined : group.plans[before]}
          titleId={titleId}
          {...offer}
        />
      </Levels>
    </section>
  )
}

/** More levels than this are chosen by a number. */
const MOST_TABS = 4

/** The levels of a card: a row of tabs, a stepper where they are many, or one line for one plan. */
function Levels({
  group: { name, counts, plans },
  children,
  ...choice
}: {
  group: CardGroup
} & Pick<ComponentProps<typeof Tabs>, 'selected' | 'onSelect' | 'tone' | 'children'>) {
  if (plans.length === 1)
    return (
      <>
        <div className={styles.single} />
        <div className={styles.level}>{children}</div>
      </>
    )
  const count = counts && texts.counts[counts]
  const tabs = {
    label: texts.levels(name),
    tabs: plans.map(({ tab, name }) => tab ?? name),
    notes: count ? plans.map((plan) => count.amount(plan.count)) : undefined,
    className: styles.level,
    ...choice,
  }
  if (!count || plans.length <= MOST_TABS) return <Tabs {...tabs}>{children}</Tabs>
  return (
    <StepperTabs unit={count.unit} values={plans.map((plan) => plan.count)} {...tabs}>
      {children}
    </StepperTabs>
  )
}

/** How the levels of every card are offered. */
interface Offer extends PlanActions {
  dealOf: DealOf
  noteOf: NoteOf | undefined
}

function Level({
  plan,
  missing,
  before,
  dealOf,
  noteOf,
  titleId,
  ...actions
}: {
  plan: CardPlan
  /** What the plans of the next card have more. */
  missing: CardGroup['missing'] | null
  /** The level that was shown before: what is another line now is marked. */
  before: CardPlan | undefined
  titleId: string
} & Offer) {
  const isOwn = plan.id === actions.own
  // A subscription keeps its price: a promotion lowers only a new one.
  const deal = isOwn ? null : dealOf(plan)
  const signedIn = useSeemsSignedIn()
  const wholeId = useId()
  return (
    <>
      <div className={styles.offer} data-moved={before !== undefined || undefined}>
        <LevelPrice
          key={plan.id}
          priceCentavos={deal?.firstMonthCentavos ?? plan.monthlyCentavos}
          struckCentavos={deal ? plan.monthlyCentavos : plan.originalCentavos}
          regularCentavos={deal ? plan.monthlyCentavos : null}
        />
        {isOwn ? <p className={styles.fine}>{texts.ownPrice}</p> : noteOf?.(plan)}
      </div>
      <div className={styles.action}>
        {/* Only the build writes it; beside it the button, which needs scripts, is not there. */}
        <noscript>
          {import.meta.env.SSR && (
            <ButtonLink wide variant={plan.highlight ? 'gold' : 'primary'} href={paths.signUp}>
              {texts.signUp}
            </ButtonLink>
          )}
        </noscript>
        <PlanButtons plan={plan} deal={deal} titleId={titleId} {...actions} />
        {!signedIn && <p className={styles.fine}>{cardNote(deal)}</p>}
      </div>
      <div className={styles.lists}>
        <input type="checkbox" className={styles.whole} id={wholeId} aria-describedby={titleId} />
        <ul className={styles.features} aria-label={texts.includes}>
          {plan.features.map((feature) =>
            before && !before.features.includes(feature) ? (
              <li key={feature} className={styles.changed} aria-description={texts.changed}>
                {feature}
              </li>
            ) : (
              <li key={feature}>{feature}</li>
            ),
          )}
        </ul>
        {missing && <Missing resources={missing} />}
        <label htmlFor={wholeId}>{texts.showAll}</label>
      </div>
    </>
  )
}

const without: Readonly<Partial<Record<string, string>>> = texts.without

/** What a plan has not, in the order of the texts. */
function Missing({ resources }: { resources: readonly string[] }) {
  const lines = Object.keys(without).filter((resource) => resources.includes(resource))
  if (lines.length === 0) return null
  return (
    <ul className={styles.missing} aria-label={texts.excludes}>
      {lines.map((resource) => (
        <li key={resource}>{without[resource]}</li>
      ))}
    </ul>
  )
}

/**
 * The price of a level, set large; with a deal, what the first month costs and what comes after.
 */
function LevelPrice({
  priceCentavos,
  struckCentavos,
  regularCentavos,
}: {
  priceCentavos: Centavos
  /** Struck through above the price. */
  struckCentavos: Centavos | null
  /** What later months cost, when the first one is cheaper. */
  regularCentavos: Centavos | null
}) {
  return (
    <div className={levelPrice.price}>
      <p className={levelPrice.was}>
        {struckCentavos !== null && (
          <span>
            <span>{texts.was}</span> <StruckPrice centavos={struckCentavos} /> <span>{texts.now}</span>
          </span>
        )}
      </p>
      <p className={classNames(levelPrice.now, regularCentavos !== null && levelPrice.deal)}>
        <Price centavos={priceCentavos} size="xl" />{' '}
        <span className={levelPrice.period}>
          {regularCentavos === null ? texts.perMonth : texts.firstMonth}
        </span>
      </p>
      <p className={levelPrice.then}>
        {regularCentavos !== null && texts.afterwards(formatCentavos(regularCentavos))}
      </p>
    </div>
  )
}
