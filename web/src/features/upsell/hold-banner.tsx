import { useCountdown } from '../../lib/countdown'
import { upsell as texts } from '../../texts/upsell'
import { InlineCountdown } from '../../ui/countdown'
import styles from './upsell.module.css'

/**
 * How long selection and offers are held; once over it says so and lets the page fetch the prices
 * of now.
 */
export function HoldBanner({ end, onOver }: { end: Date; onOver: () => void }) {
  const { over } = useCountdown(end, onOver)
  return (
    <div className={styles.banner} role="status" aria-live={over ? 'polite' : 'off'}>
      <svg
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <circle cx="12" cy="13" r="8" />
        <path d="M12 9v4l2.500 2M9 2h6" />
      </svg>
      {over ? (
        <p>{texts.over}</p>
      ) : (
        <p>
          <span>{texts.held}</span> <InlineCountdown end={end} />
        </p>
      )}
    </div>
  )
}
