import { formatCentavos } from '../../lib/money'
import { plans as texts } from '../../texts/plans'
import { cardGroups } from './catalog'
import styles from './plans-section.module.css'

const levels = cardGroups.flatMap(({ plans }) => plans.slice(1))

/** The levels behind the tabs, for who reads the page with scripts off. */
export function OtherLevels() {
  return (
    <noscript>
      <ul className={styles.levels} aria-label={texts.otherLevels}>
        {levels.map(({ name, monthlyCentavos, mainFeature }) => (
          <li key={name}>
            {`${name}: ${formatCentavos(monthlyCentavos)}${texts.perMonth}. ${mainFeature}.`}
          </li>
        ))}
      </ul>
    </noscript>
  )
}
