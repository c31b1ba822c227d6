import { changes } from '../../../catalog/catalog'
import { classNames } from '../../../lib/class-names'
import { formatCentavos } from '../../../lib/money'
import { anchors } from '../../../lib/paths'
import { planComparison as texts } from '../../../texts/plan-comparison'
import { ChoicePill, choicePills } from '../../../ui/choice-pill'
import { comparedPlans, comparisonRows } from './comparison-rows'
import styles from './plan-comparison.module.css'

/**
 * The plans side by side, from the catalogue. On a phone it is closed at first, and shows one plan
 * at a time: radio buttons and CSS choose it, so that the table needs no script.
 */
export default function PlanComparison() {
  return (
    <section className={styles.section} aria-labelledby="comparison-title">
      <h2 id="comparison-title" className={styles.title}>
        {texts.title}
      </h2>
      <details className={styles.details}>
        <summary className={styles.summary}>{texts.open}</summary>
        <div className={styles.plans} id={anchors.comparison}>
          <fieldset className={classNames(choicePills, styles.picker)}>
            <legend className="visually-hidden">{texts.plan}</legend>
            {comparedPlans.map((name, at) => (
              <ChoicePill name="compared" defaultChecked={at === 1} key={name}>
                {name}
              </ChoicePill>
            ))}
          </fieldset>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{texts.resource}</th>
                {comparedPlans.map((name) => (
                  <th scope="col" key={name}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {comparisonRows().map(({ name, text, cells }) => (
                <tr key={name}>
                  <th scope="row">
                    <span>{name}</span>
                    <small>{text}</small>
                  </th>
                  {cells.map((cell, at) => (
                    <td key={comparedPlans[at]} className={cell ? undefined : styles.none}>
                      {cell || texts.no}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
      <div className={styles.more}>
        <p>{texts.more}</p>
        <ul>
          {changes.map(({ name, priceCentavos, numbers }) => (
            <li key={name}>{texts.moreLevel(name, formatCentavos(priceCentavos), numbers)}</li>
          ))}
        </ul>
      </div>
    </section>
  )
}
