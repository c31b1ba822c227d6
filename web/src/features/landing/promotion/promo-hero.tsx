import type { Elements } from '../../../lib/elements'
import { anchors } from '../../../lib/paths'
import { promoHero as texts } from '../../../texts/promo'
import { ButtonLink } from '../../../ui/button'
import ticketArt from '../home/ticket-art.module.css'
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

/** The sieve once more: dull price tags stay in it, a golden ticket comes out. */
function TicketArt() {
  return (
    <svg className={ticketArt.art} viewBox="0 0 480 380" fill="none" aria-hidden="true">
      {TAGS.map(([x, y, turn], at) => (
        <g key={x} transform={`translate(${x} ${y}) rotate(${turn})`}>
          <path fill="var(--noite-linha)" d={TAG} />
          <circle fill="var(--noite)" cx="10" cy="0" r="4" />
          <text className={ticketArt.price} x="22" y="6">
            {texts.tags[at]}
          </text>
        </g>
      ))}
      <path className={ticketArt.trails} d="M138 84v28M276 62v40M368 104v18" />
      <path fill="var(--mata)" d="M70 142c4 54 80 84 170 84s166-30 170-84z" />
      <ellipse fill="var(--folha)" cx="240" cy="140" rx="172" ry="42" />
      <ellipse fill="var(--noite-alta)" cx="240" cy="144" rx="154" ry="32" />
      <path
        className={ticketArt.holes}
        d="M116 138h248M108 146h264M128 154h224M160 162h160M160 128h160M196 120h92"
      />
      <path className={ticketArt.trails} d="M196 240v22M240 246v22M284 240v22" />
      <g className={ticketArt.ticket}>
        <path
          fill="var(--ouro)"
          d="M118 276a12 12 0 0 1 12-12h220a12 12 0 0 1 12 12v18a20 20 0 0 0 0 40v18a12 12 0 0 1-12 12H130a12 12 0 0 1-12-12v-18a20 20 0 0 0 0-40z"
        />
        <path className={ticketArt.perforation} d="M280 272v86" />
        <path className={ticketArt.down} d="M311 295v36m-12-12 12 12 12-12" />
      </g>
    </svg>
  )
}

/** Where each tag falls: x, y, turn in degrees. */
const TAGS = [
  [112, 58, -14],
  [228, 24, 8],
  [330, 76, -9],
] as const
const TAG = 'M-4 0 10-17a6 6 0 0 1 4.600-2H80a6 6 0 0 1 6 6v26a6 6 0 0 1-6 6H14.600a6 6 0 0 1-4.600-2z'
