import type { Interval } from '../../catalog/intervals'
import type { UpsellOffer } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { classNames } from '../../lib/class-names'
import { formatCentavos } from '../../lib/money'
import { upsell as texts } from '../../texts/upsell'
import { Button } from '../../ui/button'
import { CheckList } from '../../ui/check-list'
import { Price, StruckPrice } from '../../ui/price'
import { descriptionOf } from './choice'
import styles from './offer-card.module.css'

/** One longer period of the chosen plan. All amounts are the server's. */
export function OfferCard({
  offer,
  interval,
  main,
  firstChargeAt,
  onTake,
}: {
  offer: UpsellOffer
  interval: Interval
  /** Whether its button is the page's main action. */
  main: boolean
  /** When the first payment is charged, where that is not at once. */
  firstChargeAt: Date | null
  onTake: () => void
}) {
  // With a coupon the first payment is smaller than the next ones.
  const isReduced = offer.renewalPriceCentavos > 0n && offer.renewalPriceCentavos !== offer.priceCentavos
  return (
    <section
      className={classNames(styles.card, offer.highlight && styles.highlight)}
      aria-label={interval.name}
    >
      <header className={styles.head}>
        <h2 className="title-sm">{offer.title}</h2>
        {offer.badge && <p className={styles.badge}>{offer.badge}</p>}
      </header>
      <p className={styles.description}>{descriptionOf(offer, firstChargeAt)}</p>
      <div className={styles.amounts}>
        <p className="quiet">
          <span>{texts.equals}</span>{' '}
          <span className={styles.now}>
            <Price centavos={offer.monthlyEquivalentCentavos} size="lg" />
            <span className="quiet">{texts.perMonth}</span>
          </span>
        </p>
        <p className={styles.total}>
          <span className="visually-hidden">{`${texts.from} `}</span>
          <StruckPrice centavos={offer.originalPriceCentavos} />{' '}
          <span className="visually-hidden">{`${texts.to} `}</span>
          <b>
            {`${formatCentavos(offer.priceCentavos)}${isReduced ? texts.first[interval.stored] : interval.period}`}
          </b>
          <span className={styles.percent}>{texts.discount(offer.discount)}</span>
        </p>
        <p className={styles.savings}>{texts.savings(formatCentavos(offer.savingsAmountCentavos))}</p>
      </div>
      <div className={styles.features}>
        {offer.featuresTitle && <h3 className={styles.featuresTitle}>{offer.featuresTitle}</h3>}
        <CheckList items={offer.features} />
      </div>
      <Button
        className={styles.take}
        wide
        size="lg"
        variant={main ? 'primary' : 'secondary'}
        onClick={onTake}
      >
        {texts.take}
      </Button>
      {isReduced && (
        <p className={styles.renewal}>
          {texts.renewal(formatCentavos(offer.renewalPriceCentavos), interval.period)}
        </p>
      )}
    </section>
  )
}
