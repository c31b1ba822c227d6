import { brand } from '../../texts/brand'
import { plansFaq as texts } from '../../texts/plans-faq'
import { Faq } from '../../ui/faq'
import { PlanFinder } from './cards/plan-finder'
import { PlansSection } from './cards/plans-section'
import { FreshChoice } from './choice/fresh-choice'
import { useOwnPlan } from './choice/use-own-plan'
import PlanComparison from './comparison/plan-comparison'
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

/** Trial, guarantee, payment, changing plan, and where to ask the rest. */
function PlansFaq() {
  return (
    <Faq name="plans-faq" title={texts.title} items={texts.items}>
      <p className={styles.help}>
        <span>{texts.helpText}</span> <a href={brand.links.help_center}>{texts.helpLink}</a>
      </p>
    </Faq>
  )
}
