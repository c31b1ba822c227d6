import { brand } from '../texts/brand'
import styles from './logo.module.css'

/** The sieve with its nugget, and the name. */
export function Logo() {
  return (
    <span className={styles.logo}>
      <LogoMark />
      <span>{brand.name}</span>
    </span>
  )
}

/** The sieve alone, in the colour of the text around it. */
export function LogoMark() {
  return (
    <svg className={styles.mark} viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <g stroke="currentColor" strokeWidth="2.6" strokeLinecap="round">
        <path d="M3 10.5h26" />
        <path d="M5.2 10.5c0 6.9 4.4 10.6 10.8 10.6s10.8-3.7 10.8-10.6" />
        <path d="M11 14.2v.1M16 14.2v.1M21 14.2v.1M13.5 17.6v.1M18.5 17.6v.1" />
      </g>
      <circle fill="var(--ouro)" cx="16" cy="26.6" r="3" />
    </svg>
  )
}
