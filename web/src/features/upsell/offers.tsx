import type { PlanOffers } from '../../api/promotion'
import { type Interval, intervalOf } from '../../catalog/intervals'
import { planName } from '../../catalog/plan-names'
import type { UpsellOffer } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { classNames } from '../../lib/class-names'
import { formatDate } from '../../lib/dates'
import type { Elements } from '../../lib/elements'
import { formatCentavos } from '../../lib/money'
import { useMedia } from '../../lib/use-media'
import { useSubscription } from '../../purchase/use-subscription'
import { upsell as texts, upsell } from '../../texts/upsell'
import { Button } from '../../ui/button'
import { CardPage } from '../../ui/card'
import { CheckList } from '../../ui/check-list'
import { Dialog } from '../../ui/dialog'
import { Bill } from '../../ui/facts'
import { LineIcon } from '../../ui/line-icon'
import { Price, StruckPrice } from '../../ui/price'
import { descriptionOf } from './choice'
import offerCard from './offer-card.module.css'
import styles from './upsell.module.css'

/** The heading, which comes before the offers, and what follows it. */
export function OffersPage({ offers, children }: { offers?: PlanOffers; children: Elements }) {
  return (
    <CardPage>
      <header className={styles.head}>
        <h1>{texts.title}</h1>
        {offers && (
          <p className="lead">{texts.lead(offers.answer.planName || planName(offers.plan.planId))}</p>
        )}
        {offers?.dropped && (
          <p role="status">
            <strong>{texts.dropped[offers.dropped]}</strong>
          </p>
        )}
      </header>
      {children}
    </CardPage>
  )
}

/** The longer periods as cards, and the month below them, or on a phone before them. */
export function Offers({
  offers: { answer },
  notes,
  leaving,
  onTake,
  onMonthly,
}: {
  offers: PlanOffers
  notes: Elements
  /** On the way to the checkout. */
  leaving: boolean
  onTake: (offer: UpsellOffer, interval: Interval) => void
  onMonthly: () => void
}) {
  const first = formatCentavos(answer.selectedPriceCentavos)
  const then = formatCentavos(answer.monthlyPriceCentavos)
  // On a phone the offers are long, so that the month stands before them.
  const isPhone = useMedia('(max-width: 767.98px)')
  const monthly = (
    <div className={isPhone ? styles.monthlyRow : styles.monthly}>
      <Button variant="secondary" size={isPhone ? 'sm' : 'lg'} aria-disabled={leaving} onClick={onMonthly}>
        {texts.monthly}
      </Button>
      {first === then ? (
        <p>{texts.monthlyPrice(then)}</p>
      ) : (
        <p className={styles.twoPrices}>{texts.monthlyFirst(first, then)}</p>
      )}
    </div>
  )
  return (
    <>
      {notes}
      {isPhone && monthly}
      <div className={styles.offers}>
        {answer.offers.map((offer) => {
          const interval = intervalOf(offer.interval)
          return (
            interval && (
              <OfferCard
                key={offer.id}
                offer={offer}
                interval={interval}
                main={offer.highlight || answer.offers.length === 1}
                onTake={() => onTake(offer, interval)}
              />
            )
          )
        })}
      </div>
      {!isPhone && monthly}
      <Reassurance />
    </>
  )
}

const MARKS = [
  'M12 3 5 6v5c0 4.500 3 8 7 10 4-2 7-5.500 7-10V6l-7-3Zm-3 9 2.200 2.200L15.500 10',
  'M7 17 17 7M9 7h8v8',
  'm12 3 2.500 5.500 6 .6-4.500 4 1.300 5.900L12 16l-5.300 3 1.300-5.900-4.500-4 6-.6L12 3Z',
]

/** The blocks under the offers. The guarantee is only for a first subscription. */
function Reassurance() {
  const { guaranteeUsed } = useSubscription()
  // The first one promises the guarantee.
  const shown = upsell.reassurance
    .map((block, at) => ({ ...block, mark: MARKS[at] }))
    .slice(guaranteeUsed ? 1 : 0)
  return (
    <ul className={styles.reassurance}>
      {shown.map(({ title, text, mark }) => (
        <li key={title}>
          <LineIcon d={mark} />
          <h2>{title}</h2>
          <p className="quiet">{text}</p>
        </li>
      ))}
    </ul>
  )
}

/** One longer period of the chosen plan. All amounts are the server's. */
function OfferCard({
  offer,
  interval,
  main,
  onTake,
}: {
  offer: UpsellOffer
  interval: Interval
  /** Whether its button is the page's main action. */
  main: boolean
  onTake: () => void
}) {
  const { firstChargeAt } = useSubscription()
  // With a coupon the first payment is smaller than the next ones.
  const isReduced = offer.renewalPriceCentavos > 0n && offer.renewalPriceCentavos !== offer.priceCentavos
  return (
    <section
      className={classNames(offerCard.card, offer.highlight && offerCard.highlight)}
      aria-label={interval.name}
    >
      <header className={offerCard.head}>
        <h2 className="title-sm">{offer.title}</h2>
        {offer.badge && <p className={offerCard.badge}>{offer.badge}</p>}
      </header>
      <p className={offerCard.description}>{descriptionOf(offer, firstChargeAt)}</p>
      <div className={offerCard.amounts}>
        <p className="quiet">
          <span>{texts.equals}</span>{' '}
          <span className={offerCard.now}>
            <Price centavos={offer.monthlyEquivalentCentavos} size="lg" />
            <span className="quiet">{texts.perMonth}</span>
          </span>
        </p>
        <p className={offerCard.total}>
          <span className="visually-hidden">{`${texts.from} `}</span>
          <StruckPrice centavos={offer.originalPriceCentavos} />{' '}
          <span className="visually-hidden">{`${texts.to} `}</span>
          <b>
            {`${formatCentavos(offer.priceCentavos)}${isReduced ? texts.first[interval.stored] : interval.period}`}
          </b>
          <span className={offerCard.percent}>{texts.discount(offer.discount)}</span>
        </p>
        <p className={offerCard.savings}>{texts.savings(formatCentavos(offer.savingsAmountCentavos))}</p>
      </div>
      <div className={offerCard.features}>
        {offer.featuresTitle && <h3 className={offerCard.featuresTitle}>{offer.featuresTitle}</h3>}
        <CheckList items={offer.features} />
      </div>
      <Button
        className={offerCard.take}
        wide
        size="lg"
        variant={main ? 'primary' : 'secondary'}
        onClick={onTake}
      >
        {texts.take}
      </Button>
      {isReduced && (
        <p className={offerCard.renewal}>
          {texts.renewal(formatCentavos(offer.renewalPriceCentavos), interval.period)}
        </p>
      )}
    </section>
  )
}

/** 'Confirmar mudança de plano': the offer once more, with every amount, before it is taken. */
export function OfferDialog({
  taken,
  busy,
  onBack,
  onConfirm,
}: {
  taken: { offer: UpsellOffer; interval: Interval }
  busy: boolean
  onBack: () => void
  onConfirm: () => void
}) {
  const texts = upsell.dialog
  const { firstChargeAt } = useSubscription()
  return (
    <Dialog title={texts.title} onClose={onBack} locked={busy}>
      <div>
        <p className={styles.dialogTitle}>{taken.offer.title}</p>
        <p className="quiet">{descriptionOf(taken.offer, firstChargeAt)}</p>
      </div>
      <Bill
        facts={[
          [texts.original, <StruckPrice key="original" centavos={taken.offer.originalPriceCentavos} />],
          [texts.discount, upsell.discount(taken.offer.discount)],
          [texts.savings, texts.perMonth(formatCentavos(taken.offer.savingsAmountCentavos))],
          taken.offer.renewalPriceCentavos > 0n && [
            texts.renewal,
            texts.each(formatCentavos(taken.offer.renewalPriceCentavos), taken.interval.period),
          ],
        ]}
        total={[
          firstChargeAt ? texts.priceLater(formatDate(firstChargeAt)) : texts.price,
          taken.offer.priceCentavos,
        ]}
      />
      <div className={styles.dialogActions}>
        <Button variant="quiet" onClick={onBack} disabled={busy}>
          {texts.back}
        </Button>
        <Button onClick={onConfirm} busy={busy}>
          {busy ? texts.busy : texts.confirm}
        </Button>
      </div>
    </Dialog>
  )
}
