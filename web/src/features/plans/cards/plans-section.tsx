import { type ComponentType, lazy, Suspense, useState } from 'react'
import { useCampaign } from '../../../attribution/campaign'
import { benefits, type CardPlan, cardGroups } from '../../../catalog/catalog'
import { campaignDeals, type Deal, type DealOf } from '../../../catalog/deals'
import { usePromoCode } from '../../../catalog/kept-promotion'
import { cardChoice } from '../../../catalog/selected-plan'
import type { Elements } from '../../../lib/elements'
import { formatCentavos } from '../../../lib/money'
import { anchors } from '../../../lib/paths'
import { useIsHydrating } from '../../../lib/use-is-hydrating'
import { useSeemsSignedIn } from '../../../session/session'
import { plans as texts } from '../../../texts/plans'
import { PageLoading } from '../../../ui/spinner'
import type { PlansOffer } from '../choice/kept-offer'
import { OpenPayment } from '../choice/open-payment'
import { usePlanChoice } from '../choice/use-plan-choice'
import { useSignUpAhead } from '../choice/use-sign-up-ahead'
import type { PlanActions } from './plan-buttons'
import { type NoteOf, PlanCard } from './plan-card'
import styles from './plans-section.module.css'
import { useShownLevels } from './use-shown-levels'

type Heading = 'h1' | 'h2'

const KeptOffer = lazy(() => import('../choice/kept-offer'))

/** Asks something that leads to a plan, names its id and offers it. */
type Finder = ComponentType<PlanActions & { dealOf: DealOf; onFit: (planId: string) => void }>

/** The plans at the campaign's prices. On the home page and on the plans pages. */
export function PlansSection({
  heading = 'h2',
  own = null,
  awaitsPayment = false,
  Finder,
  above,
}: {
  heading?: Heading
  /** Id of the plan that the visitor pays for. */
  own?: string | null
  /** Whether the first payment or a renewal is awaited. */
  awaitsPayment?: boolean
  Finder?: Finder
  /** Content above the kept coupon and the cards. */
  above?: Elements
}) {
  const running = useCampaign()
  // A subscriber changes the plan, and a change has no cheaper first month.
  const campaign = own ? running && 'none' : running
  const { badge, lead, until } = texts.campaign
  const runs = campaign === 'black-november'
  const signedIn = useSeemsSignedIn()
  const code = usePromoCode()
  const [offer, setOffer] = useState<PlansOffer | null>(null)
  const leadOf = () => {
    if (own) return texts.leadOwn
    if (awaitsPayment) return texts.leadAwaited
    return signedIn ? texts.leadSignedIn : texts.lead
  }
  return (
    <PlansFrame
      heading={heading}
      badge={runs ? badge : null}
      title={texts.title}
      lead={runs ? `${lead} ${until}` : leadOf()}
    >
      {above}
      {awaitsPayment && <OpenPayment />}
      {campaign && code && (
        <Suspense>
          <KeptOffer campaign={campaign} subscribes={own !== null} onOffer={setOffer} />
        </Suspense>
      )}
      {campaign ? (
        <Plans under={heading} dealOf={campaignDeals(campaign)} own={own} Finder={Finder} {...offer} />
      ) : (
        <PageLoading />
      )}
    </PlansFrame>
  )
}

/** The section around the plans, at the anchor that the whole site links to. */
export function PlansFrame({
  heading: Heading = 'h2',
  badge = null,
  title,
  lead,
  children,
}: {
  heading?: Heading
  badge?: string | null
  title: string
  lead: string
  children: Elements
}) {
  return (
    <section className={styles.section} id={anchors.plans} aria-labelledby="plans-title">
      <div className={styles.head}>
        {badge && <p className={styles.badge}>{badge}</p>}
        <Heading id="plans-title" className="title-lg">
          {title}
        </Heading>
        <p className={styles.lead}>{lead}</p>
      </div>
      {children}
    </section>
  )
}

/** Three cards, and what every plan includes. */
export function Plans({
  under = 'h2',
  dealOf,
  noteOf,
  startsCountdown = true,
  pending = false,
  own = null,
  Finder,
}: {
  /** The level of the heading above them. */
  under?: Heading
  dealOf: DealOf
  noteOf?: NoteOf
  /** Whether a choice starts the countdown of /upsell. */
  startsCountdown?: boolean
  /** The prices of the visitor are unknown in the built page. */
  pending?: boolean
  /** Id of the plan that the visitor pays for. */
  own?: string | null
  Finder?: Finder | undefined
}) {
  // The built page shows buttons and tabs before its script makes them work.
  const isHydrating = useIsHydrating()
  const { choosing, choose } = usePlanChoice(startsCountdown)
  const cards = useSignUpAhead()
  const { shownOf, look, show } = useShownLevels(own)
  const onChoose = (plan: CardPlan, deal: Deal | null) => void choose(cardChoice(plan, deal))
  const actions = { own, choosing, onChoose }
  const Under = under === 'h1' ? 'h2' : 'h3'
  return (
    <>
      {Finder && <Finder dealOf={dealOf} onFit={show} {...actions} />}
      <div
        ref={cards}
        className={styles.cards}
        aria-busy={isHydrating || undefined}
        data-pending={pending || undefined}
      >
        {cardGroups.map((group) => (
          <PlanCard
            key={group.name}
            group={group}
            heading={Under}
            shown={shownOf(group.name)}
            onLook={(level) => look(group.name, level)}
            dealOf={dealOf}
            noteOf={noteOf}
            {...actions}
          />
        ))}
        <div className={styles.benefits}>
          <Under className={styles.benefitsTitle}>{texts.benefitsTitle}</Under>
          <ul className={styles.benefitsList}>
            {benefits.map((benefit) => (
              <li key={benefit}>{benefit}</li>
            ))}
          </ul>
        </div>
        {/* For a page without scripts. Only the build renders it. */}
        <noscript>{import.meta.env.SSR && <OtherLevels />}</noscript>
      </div>
    </>
  )
}

/** The levels behind the tabs. */
function OtherLevels() {
  return (
    <ul className={styles.levels} aria-label={texts.otherLevels}>
      {cardGroups
        .flatMap(({ plans }) => plans.slice(1))
        .map(({ name, monthlyCentavos, mainFeature }) => (
          <li key={name}>
            {`${name}: ${formatCentavos(monthlyCentavos)}${texts.perMonth}. ${mainFeature}.`}
          </li>
        ))}
    </ul>
  )
}
