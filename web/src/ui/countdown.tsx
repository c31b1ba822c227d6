import { classNames } from '../lib/class-names'
import { clockText, useCountdown } from '../lib/countdown'
import { countdown as texts } from '../texts/site'
import styles from './countdown.module.css'

/** 'MM:SS' inside a sentence. What is read out changes once a minute, not every second. */
export function InlineCountdown({ end }: { end: Date }) {
  const left = useCountdown(end)
  return (
    <>
      <span className={styles.inline} aria-hidden="true">
        {clockText(left)}
      </span>
      <span className="visually-hidden">{texts.minutesLeft(Math.ceil(left.totalMs / 60_000))}</span>
    </>
  )
}

/** Days, hours, minutes and seconds in boxes; `parts` selects them. */
export function Countdown({
  end,
  parts = ['days', 'hours', 'minutes', 'seconds'],
  size = 'md',
}: {
  end: Date
  parts?: readonly ('days' | 'hours' | 'minutes' | 'seconds')[]
  size?: 'md' | 'sm'
}) {
  const left = useCountdown(end)
  return (
    <div
      className={classNames(styles.boxes, styles[size])}
      role="timer"
      aria-live="off"
      aria-label={texts.label}
    >
      {parts.map((part) => (
        <div className={styles.box} key={part}>
          <span className={styles.value}>{left[part].toString().padStart(2, '0')}</span>
          <span className={styles.unit}>{texts.units[part]}</span>
        </div>
      ))}
    </div>
  )
}
