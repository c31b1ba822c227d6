import type { ReactNode } from 'react'
import { removePromoCode } from '../purchase/remove-promo-code'
import { keptCoupon as texts } from '../texts/kept-coupon'
import styles from './kept-coupon.module.css'

/** 'Seu cupom BF40 ainda vale', and a way to remove it. */
export function KeptCoupon({
  code,
  text,
  onRemove = removePromoCode,
  children,
}: {
  code: string
  text: string
  onRemove?: () => void
  children?: ReactNode
}) {
  return (
    <section className={styles.kept} aria-label={texts.label}>
      <p>
        <strong>{texts.title(code)}</strong> {text}
      </p>
      {children}
      <button type="button" className={styles.remove} onClick={onRemove}>
        {texts.remove}
      </button>
    </section>
  )
}
