import { type Interval, intervalOf } from '../../catalog/intervals'
import { planName } from '../../catalog/plan-names'
import type { UpsellOffer } from '../../gen/garimpo/billing/v1/billing_service_pb'
import type { Elements } from '../../lib/elements'
import { formatCentavos } from '../../lib/money'
import { useIsPhone } from '../../lib/use-is-phone'
import { upsell as texts } from '../../texts/upsell'
import { Button } from '../../ui/button'
import { CardPage } from '../../ui/card'
import { OfferCard } from './offer-card'
import { Reassurance } from './reassurance'
import styles from './upsell.module.css'
import type { ReadyOffers } from './use-offers'

/** The longer periods as cards, and the month below them, or on a phone before them. */
export function Offers({
  offers: { answer, plan, dropped },
  firstChargeAt,
  notes,
  leaving,
  onTake,
  onMonthly,
}: {
  offers: ReadyOffers
  /** When the first payment is charged, where that is not at once. */
  firstChargeAt: Date | null
  notes: Elements
  /** On the way to the checkout. */
  leaving: boolean
  onTake: (offer: UpsellOffer, interval: Interval) => void
  onMonthly: () => void
}) {
  const first = formatCentavos(answer.selectedPriceCentavos)
  const then = formatCentavos(answer.monthlyPriceCentavos)
  // On a phone the offers are long, so that the month stands before them.
  const isPhone = useIsPhone()
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
    <CardPage>
      <header className={styles.head}>
        <h1>{texts.title}</h1>
        <p className="lead">{texts.lead(answer.planName || planName(plan.planId))}</p>
        {dropped && (
          <p role="status">
            <strong>{texts.dropped[dropped]}</strong>
          </p>
        )}
      </header>
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
                firstChargeAt={firstChargeAt}
                onTake={() => onTake(offer, interval)}
              />
            )
          )
        })}
      </div>
      {!isPhone && monthly}
      <Reassurance />
    </CardPage>
  )
}
