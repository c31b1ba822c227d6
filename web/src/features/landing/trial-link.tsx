import { clearSelectedPlan } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { hero } from '../../texts/landing'
import { ButtonLink } from '../../ui/button'

/** The way into the free trial: without a plan chosen before, and without its return point (issue: pain points). */
export function TrialLink() {
  return (
    <ButtonLink size="lg" to={paths.signUp} onClick={clearSelectedPlan}>
      {hero.ordinary.trial}
    </ButtonLink>
  )
}
