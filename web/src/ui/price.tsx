import { classNames } from '../lib/class-names'
import { type Centavos, formatCentavos, priceParts } from '../lib/money'
import styles from './price.module.css'

/**
 * An amount set as the identity asks: heavy figures, a lighter sign, smaller centavos. Reads as 'R$
 * 197,90'.
 */
export function Price({ centavos, size = 'md' }: { centavos: Centavos; size?: 'md' | 'lg' | 'xl' }) {
  const { sign, whole, cents } = priceParts(centavos)
  return (
    <span className={classNames(styles.price, styles[size])}>
      <span className={styles.sign}>{`${sign}R$\u00a0`}</span>
      <span>{whole}</span>
      <span className={styles.cents}>{`,${cents}`}</span>
    </span>
  )
}

/** The amount that is compared with, struck through. */
export function StruckPrice({ centavos }: { centavos: Centavos }) {
  return <s className={styles.struck}>{formatCentavos(centavos)}</s>
}
