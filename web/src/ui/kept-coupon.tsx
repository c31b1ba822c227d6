import { promoCodeOf } from '../catalog/promo-code'
import { useAddress } from '../lib/area'
import type { Elements } from '../lib/elements'
import { removePromoCode } from '../purchase/kept-code'
import { keptCoupon as texts } from '../texts/kept-coupon'
import styles from './kept-coupon.module.css'

/** 'Seu cupom BF40 vale aqui' where its link led to, later 'ainda vale', and a way to remove it. */
export function KeptCoupon({ code, text, children }: { code: string; text: string; children?: Elements }) {
  const brought = promoCodeOf(useAddress().search) !== null
  return (
    <section className={styles.kept} aria-label={texts.label}>
      <p>
        <strong>{brought ? texts.here(code) : texts.title(code)}</strong> <span>{text}</span>
      </p>
      {children}
      <button type="button" className={styles.remove} onClick={removePromoCode}>
        {texts.remove}
      </button>
    </section>
  )
}
