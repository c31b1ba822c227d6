import { type ComponentProps, lazy, Suspense } from 'react'
import { lowestCentavos } from '../../../catalog/catalog'
import { clearSelectedPlan } from '../../../lib/browser-storage'
import { loadConfig } from '../../../lib/config'
import type { Elements } from '../../../lib/elements'
import { formatCentavos } from '../../../lib/money'
import { paths } from '../../../lib/paths'
import { useSeemsSignedIn } from '../../../session/session'
import { brand } from '../../../texts/brand'
import { hero, trialNote } from '../../../texts/landing'
import { ButtonLink } from '../../../ui/button'
import styles from './trial-bar.module.css'

/** The end of the trial follows the server's clock, which the settings bring. */
const Continue = lazy(async () => {
  await loadConfig().catch(() => undefined)
  return import('./continue-link')
})

/**
 * The link to the free trial. It clears a plan chosen before and its return address. For a visitor
 * who has an account it leads to the app. `toPlans` is shown beside it, but not if the link itself
 * leads to the plans.
 */
export function TrialLink({
  toPlans,
  variant,
}: {
  toPlans?: Elements
  variant?: ComponentProps<typeof ButtonLink>['variant']
}) {
  if (useSeemsSignedIn()) {
    const app = (
      <>
        <ButtonLink size="lg" variant={variant} href={brand.links.app_login}>
          {hero.app}
        </ButtonLink>
        {toPlans}
      </>
    )
    return (
      <Suspense fallback={app}>
        <Continue otherwise={app} variant={variant} />
      </Suspense>
    )
  }
  return (
    <>
      <ButtonLink size="lg" variant={variant} to={paths.signUp} onClick={clearSelectedPlan}>
        {hero.ordinary.trial}
      </ButtonLink>
      {toPlans}
    </>
  )
}

/** Describes the trial, under its button. Empty for a visitor who has an account. */
export function TrialNote({ className }: { className?: string }) {
  if (useSeemsSignedIn()) return null
  return (
    <p className={className}>
      {trialNote(formatCentavos(lowestCentavos.ofAll), formatCentavos(lowestCentavos.withSearch))}
    </p>
  )
}

/**
 * On a phone the way into the trial stays at hand below the hero, in place of the children's own
 * links to it; where they end, so does it.
 */
export function TrialBar({ children }: { children: Elements }) {
  return (
    <div className={styles.part}>
      {children}
      <div className={styles.track}>
        <div className={styles.bar}>
          <TrialLink />
        </div>
      </div>
    </div>
  )
}
