import type { Elements } from '../../../lib/elements'
import { anchors } from '../../../lib/paths'
import { promoHero as texts } from '../../../texts/promo'
import { ButtonLink } from '../../../ui/button'
import TicketArt from '../home/ticket-art'
import styles from './promo-hero.module.css'

/**
 * The banner of the promotional pages: pressed anywhere, it scrolls to the plans. `percent` is on
 * its ticket.
 */
export function PromoHero({ percent }: { percent: Elements }) {
  return (
    <section className={styles.hero}>
      <div className={styles.inner}>
        <div className={styles.copy}>
          <h1 className={styles.title}>{texts.title}</h1>
          <p className={styles.lead}>{texts.lead}</p>
          {/* The browser's own anchor keeps the query, and with it the code. */}
          <ButtonLink size="lg" variant="light" className={styles.action} href={`#${anchors.plans}`}>
            {texts.action}
          </ButtonLink>
          <p className={styles.note}>{texts.note}</p>
        </div>
        <div className={styles.art}>
          <div>
            <TicketArt />
          </div>
          {percent}
        </div>
      </div>
    </section>
  )
}
