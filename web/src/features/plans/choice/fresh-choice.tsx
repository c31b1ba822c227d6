import { lazy, Suspense, useEffect, useState } from 'react'
import { readClearedPlan, type SelectedPlan } from '../../../catalog/selected-plan'
import { setSelectedPlanAside } from '../../../lib/browser-storage'

const ClearedChoice = lazy(() => import('./cleared-choice'))

/**
 * Opening a plans page clears a stored selection, and offers it again. So does a return by the
 * history to a page that the browser has kept, because this component was not unmounted then.
 */
export function FreshChoice({ startsCountdown = true }: { startsCountdown?: boolean }) {
  const [cleared, setCleared] = useState<SelectedPlan | null>(null)
  useEffect(() => {
    const clear = () => {
      setSelectedPlanAside()
      setCleared(readClearedPlan())
    }
    const onShow = (event: PageTransitionEvent) => event.persisted && clear()
    clear()
    addEventListener('pageshow', onShow)
    return () => removeEventListener('pageshow', onShow)
  }, [])
  return (
    cleared && (
      <Suspense>
        <ClearedChoice plan={cleared} startsCountdown={startsCountdown} />
      </Suspense>
    )
  )
}
