import { type Interval, intervalOf } from '../../catalog/intervals'
import { planName } from '../../catalog/plan-names'
import type { UpsellOffer } from '../../gen/garimpo/billing/v1/billing_service_pb'
import type { Elements } from '../../lib/elements'
import { formatCentavos } from '../../lib/money'
import { useIsPhone } from '../../lib/use-is-phone'
import { useSubscription } from '../../purchase/use-subscription'
import { upsell as texts, upsell } from '../../texts/upsell'
import { Button } from '../../ui/button'
import { CardPage } from '../../ui/card'
import { LineIcon } from '../../ui/line-icon'
import { OfferCard } from './offer-card'
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

const MARKS = [
  'M12 3 5 6v5c0 4.500 3 8 7 10 4-2 7-5.500 7-10V6l-7-3Zm-3 9 2.200 2.200L15.500 10',
  'M7 17 17 7M9 7h8v8',
  'm12 3 2.500 5.500 6 .6-4.500 4 1.300 5.900L12 16l-5.300 3 1.300-5.900-4.500-4 6-.6L12 3Z',
]

/** The blocks under the offers. The guarantee is only for a first subscription. */
function Reassurance() {
  const subscribing = useSubscription()
  const isUsed = subscribing.kind === 'inactive' && subscribing.guaranteeUsed
  // The first one promises the guarantee.
  const shown = upsell.reassurance.map((block, at) => ({ ...block, mark: MARKS[at] })).slice(isUsed ? 1 : 0)
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
