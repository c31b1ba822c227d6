import { type Centavos, formatCentavos, priceParts } from '../../lib/money'
import { plans as texts } from '../../texts/plans'
import styles from './price.module.css'

/** The price of a card, set large; with a deal, what the first month costs and what comes after. */
export function Price({
  priceCentavos,
  struckCentavos,
  regularCentavos,
}: {
  priceCentavos: Centavos
  /** Struck through above the price. */
  struckCentavos: Centavos | null
  /** What later months cost, when the first one is cheaper. */
  regularCentavos: Centavos | null
}) {
  const { whole, cents } = priceParts(priceCentavos)
  return (
    <div className={styles.price}>
      <p className={styles.was}>
        {struckCentavos !== null && (
          <>
            {texts.was} <s>{formatCentavos(struckCentavos)}</s> {texts.now}
          </>
        )}
      </p>
      <p className={styles.now}>
        <span className={styles.amount}>
          <span className={styles.currency}>R$ </span>
          <span className={styles.whole}>{whole}</span>
          <span className={styles.cents}>,{cents}</span>
        </span>{' '}
        <span className={styles.period}>{regularCentavos === null ? texts.perMonth : texts.firstMonth}</span>
      </p>
      <p className={styles.then}>
        {regularCentavos !== null && texts.afterwards(formatCentavos(regularCentavos))}
      </p>
    </div>
  )
}
