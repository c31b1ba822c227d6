import { cardGroups } from '../../../catalog/catalog'
import { formatCentavos } from '../../../lib/money'
import { plans as texts } from '../../../texts/plans'
import styles from './plans-section.module.css'

/** The levels behind the tabs, for a page without scripts. Only the build renders them. */
export function OtherLevels() {
  return <noscript>{import.meta.env.SSR && <List />}</noscript>
}

function List() {
  return (
    <ul className={styles.levels} aria-label={texts.otherLevels}>
      {cardGroups
        .flatMap(({ plans }) => plans.slice(1))
        .map(({ name, monthlyCentavos, mainFeature }) => (
          <li key={name}>
            {`${name}: ${formatCentavos(monthlyCentavos)}${texts.perMonth}. ${mainFeature}.`}
          </li>
        ))}
    </ul>
  )
}
