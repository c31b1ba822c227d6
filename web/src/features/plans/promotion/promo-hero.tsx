import { useId } from 'react'
import { recommendedPlan as recommended } from '../../../catalog/catalog'
import { type DealOf, dealReason, type PromotionContent } from '../../../catalog/deals'
import { formatCentavos } from '../../../lib/money'
import { noBreak } from '../../../lib/no-break'
import { anchors } from '../../../lib/paths'
import { rejects } from '../../../texts/hero-art'
import { hero } from '../../../texts/landing'
import { promoHero as texts } from '../../../texts/promo'
import { ButtonLink } from '../../../ui/button'
import { Price } from '../../../ui/price'
import { Sieve } from '../../../ui/sieve'
import { PromoNote } from '../cards/promo-note'
import styles from './promo-hero.module.css'
import ticket from './ticket-art.module.css'

/**
 * The head of the promotional pages: the title of the code and the first month of the recommended
 * plan. Pressed anywhere, it scrolls to the plans.
 */
export function PromoHero({
  promotion: { title, subtitle, discount, couponId },
  dealOf,
  isWithheld,
  pending,
}: {
  promotion: PromotionContent
  dealOf: DealOf
  /** The visitor does not get what the code gives to others, so the head does not promise it. */
  isWithheld: boolean
  /** The code is unknown in the built page. */
  pending: boolean
}) {
  const deal = recommended ? dealOf(recommended) : null
  return (
    <section className={styles.hero} aria-labelledby="promo-title" data-pending={pending || undefined}>
      <div className={styles.inner}>
        <div className={styles.copy}>
          <h1 id="promo-title" className={styles.title} aria-label={pending ? texts.pending : undefined}>
            <span>{isWithheld ? texts.withheld : title}</span>
          </h1>
          {!isWithheld && (
            <p className={styles.subtitle}>
              <span>{subtitle}</span>
            </p>
          )}
          {recommended && deal && (
            <div className={styles.offer}>
              <p className={styles.price}>
                <span>{hero.campaign.price(noBreak(recommended.name))}</span>{' '}
                <span className={styles.amount}>
                  <Price centavos={deal.firstMonthCentavos} size="xl" />{' '}
                  <span className={styles.month}>{hero.campaign.month}</span>
                </span>
              </p>
              <p className={styles.later}>
                {hero.campaign.later(formatCentavos(recommended.monthlyCentavos))}
              </p>
              {!isWithheld && dealReason(deal, couponId) === 'campaign' && <PromoNote reason="campaign" />}
            </div>
          )}
          {/* Known before the code, and as large as the title on a phone: the page's largest paint. */}
          <p className={styles.lead}>{hero.ordinary.lead}</p>
          {/* The browser's own anchor keeps the query, and with it the code. */}
          <ButtonLink size="lg" className={styles.action} href={`#${anchors.plans}`}>
            {texts.action}
          </ButtonLink>
          <p className={styles.note}>{texts.note}</p>
        </div>
        <div className={styles.scene}>
          <Sieve className={styles.sieve} gravel rejects={rejects} />
          <Ticket text={discount > 0 && !isWithheld ? texts.percent(discount) : texts.ticket} />
        </div>
      </div>
    </section>
  )
}

/** The coupon that came out of the sieve: a golden ticket with the discount. */
function Ticket({ text }: { text: string }) {
  const light = useId()
  return (
    <div className={styles.ticket}>
      <svg className={ticket.art} viewBox="0 0 320 150" fill="none" aria-hidden="true">
        <linearGradient id={light} x2="1" y2="1">
          <stop stopColor="#ffdf85" />
          <stop offset=".4" stopColor="#f2b21b" />
          <stop offset="1" stopColor="#d8940d" />
        </linearGradient>
        <path fill={`url(#${light})`} d={PAPER} />
        <path className={ticket.edge} d={PAPER} />
        <path className={ticket.perforation} d="M236 18v114" />
        <path className={ticket.down} d="M276 52v44m-14-14 14 14 14-14" />
      </svg>
      <p className={styles.percent}>{text}</p>
    </div>
  )
}

const PAPER =
  'M4 20A16 16 0 0 1 20 4h280a16 16 0 0 1 16 16v31a24 24 0 0 0 0 48v31a16 16 0 0 1-16 16H20a16 16 0 0 1-16-16V99a24 24 0 0 0 0-48z'
