import { type Centavos, formatCentavos } from '../../../lib/money'
import { plans as texts } from '../../../texts/plans'
import { Price, StruckPrice } from '../../../ui/price'
import styles from './level-price.module.css'

/**
 * The price of a level, set large; with a deal, what the first month costs and what comes after.
 */
export function LevelPrice({
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
  return (
    <div className={styles.price}>
      <p className={styles.was}>
        {struckCentavos !== null && (
          <span>
            <span>{texts.was}</span> <StruckPrice centavos={struckCentavos} /> <span>{texts.now}</span>
          </span>
        )}
      </p>
      <p className={styles.now}>
        <Price centavos={priceCentavos} size="xl" />{' '}
        <span className={styles.period}>{regularCentavos === null ? texts.perMonth : texts.firstMonth}</span>
      </p>
      <p className={styles.then}>
        {regularCentavos !== null && texts.afterwards(formatCentavos(regularCentavos))}
      </p>
    </div>
  )
}
