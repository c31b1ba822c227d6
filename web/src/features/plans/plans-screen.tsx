import { changes } from '../../catalog/catalog'
import { classNames } from '../../lib/class-names'
import { formatCentavos } from '../../lib/money'
import { anchors } from '../../lib/paths'
import { brand } from '../../texts/brand'
import { planComparison } from '../../texts/plan-comparison'
import { plansFaq as texts } from '../../texts/plans-faq'
import { ChoicePill, choicePills } from '../../ui/choice-pill'
import { Faq } from '../../ui/faq'
import { PlanFinder } from './cards/plan-finder'
import { PlansSection } from './cards/plans-section'
import { FreshChoice } from './choice/fresh-choice'
import { useOwnPlan } from './choice/use-own-plan'
import { comparedPlans, comparisonRows } from './comparison/comparison-rows'
import comparisonStyles from './comparison/plan-comparison.module.css'
import styles from './plans-faq.module.css'

/** The plans-only page. Opening it clears a stored selection. */
export function PlansScreen() {
  return (
    <>
      <PlansSection heading="h1" {...useOwnPlan()} Finder={PlanFinder} above={<FreshChoice />} />
      <PlanComparison />
      <PlansFaq />
    </>
  )
}

const questions = Object.entries(texts.items).map(([question, answer]) => ({ question, answer }))

/** Trial, guarantee, payment, changing plan, and where to ask the rest. */
function PlansFaq() {
  return (
    <Faq name="plans-faq" title={texts.title} items={questions}>
      <p className={styles.help}>
        <span>{texts.helpText}</span> <a href={brand.links.help_center}>{texts.helpLink}</a>
      </p>
    </Faq>
  )
}

/**
 * The plans side by side, from the catalogue. On a phone it is closed at first, and shows one plan
 * at a time: radio buttons and CSS choose it, so that the table needs no script.
 */
function PlanComparison() {
  return (
    <section className={comparisonStyles.section} aria-labelledby="comparison-title">
      <h2 id="comparison-title" className={comparisonStyles.title}>
        {planComparison.title}
      </h2>
      <details className={comparisonStyles.details}>
        <summary className={comparisonStyles.summary}>{planComparison.open}</summary>
        <div className={comparisonStyles.plans} id={anchors.comparison}>
          <fieldset className={classNames(choicePills, comparisonStyles.picker)}>
            <legend className="visually-hidden">{planComparison.plan}</legend>
            {comparedPlans.map((name, at) => (
              <ChoicePill name="compared" defaultChecked={at === 1} key={name}>
                {name}
              </ChoicePill>
            ))}
          </fieldset>
          <table className={comparisonStyles.table}>
            <thead>
              <tr>
                <th scope="col">{planComparison.resource}</th>
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
                    <td key={comparedPlans[at]} className={cell ? undefined : comparisonStyles.none}>
                      {cell || <span className="visually-hidden">{planComparison.no}</span>}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
      <details className={comparisonStyles.more}>
        <summary>{planComparison.moreTitle}</summary>
        <p>{planComparison.more}</p>
        <ul>
          {changes.map(({ name, priceCentavos, numbers }) => (
            <li key={name}>{planComparison.moreLevel(name, formatCentavos(priceCentavos), numbers)}</li>
          ))}
        </ul>
      </details>
    </section>
  )
}
