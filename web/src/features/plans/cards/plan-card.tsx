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
import { Tabs } from '../../../ui/tabs'
import levelPrice from './level-price.module.css'
import { type PlanActions, PlanButtons } from './plan-buttons'
import styles from './plan-card.module.css'
import { trialLine } from './price-note'
import type { ShownLevel } from './use-shown-levels'

/** What a page says of the shown plan's price, between it and the button. */
export type NoteOf = (plan: CardPlan) => Elements

/** One card: a tab per level, and the shown level's name, price, button and features. */
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
  const shown = group.plans[at]
  const countText = group.counts && texts.counts[group.counts]
  if (!shown) return null
  const { highlight, badge } = shown
  const content = (
    <>
      <div>
        <Heading className="title-md">
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
      <Level plan={shown} before={before === null ? undefined : group.plans[before]} {...offer} />
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
          notes={countText ? group.plans.map(({ count }) => countText(count)) : []}
          selected={at}
          onSelect={onLook}
          tone={highlight ? 'dark' : 'light'}
          className={styles.level}
        >
          {content}
        </Tabs>
      )}
    </section>
  )
}

/** How the levels of every card are offered. */
interface Offer extends PlanActions {
  dealOf: DealOf
  noteOf: NoteOf | undefined
}

function Level({
  plan,
  before,
  dealOf,
  noteOf,
  ...actions
}: {
  plan: CardPlan
  /** The level that was shown before: what is another line now is marked. */
  before: CardPlan | undefined
} & Offer) {
  const isOwn = plan.id === actions.own
  // A subscription keeps its price: a promotion lowers only a new one.
  const deal = isOwn ? null : dealOf(plan)
  const signedIn = useSeemsSignedIn()
  return (
    <>
      <LevelPrice
        priceCentavos={deal?.firstMonthCentavos ?? plan.monthlyCentavos}
        struckCentavos={deal ? plan.monthlyCentavos : plan.originalCentavos}
        regularCentavos={deal ? plan.monthlyCentavos : null}
      />
      {isOwn ? <p className={styles.trial}>{texts.ownPrice}</p> : noteOf?.(plan)}
      {/* Only the build writes it; beside it the button, which needs scripts, is not there. */}
      <noscript>
        {import.meta.env.SSR && (
          <ButtonLink wide variant={plan.highlight ? 'gold' : 'primary'} href={paths.signUp}>
            {texts.signUp}
          </ButtonLink>
        )}
      </noscript>
      <PlanButtons plan={plan} deal={deal} {...actions} />
      {!signedIn && <p className={styles.trial}>{trialLine(plan, deal)}</p>}
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
    </>
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
      <p className={levelPrice.now}>
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
