import { interleaved2of5 } from '../lib/interleaved-2-of-5'
import styles from './barcode.module.css'

/** Light modules that a reader needs on both sides. */
const QUIET = 10

/** The bar code of a bank slip; nothing for invalid digits. */
export function Barcode({ digits, label }: { digits: string; label: string }) {
  const widths = interleaved2of5(digits)
  if (!widths) return null
  let at = QUIET
  let bars = ''
  for (const [index, width] of widths.entries()) {
    if (index % 2 === 0) bars += `M${at} 0h${width}v1h-${width}z`
    at += width
  }
  return (
    <svg
      className={styles.barcode}
      viewBox={`0 0 ${at + QUIET} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={bars} />
    </svg>
  )
}
