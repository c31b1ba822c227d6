import { lazy, Suspense, useEffect, useState } from 'react'
import { readClearedPlan, type SelectedPlan, setSelectedPlanAside } from '../../catalog/selected-plan'

const ClearedChoice = lazy(() => import('./cleared-choice'))

/**
 * Opening a plans page clears a stored selection, also when the browser shows the page as it was
 * left. The cleared one is offered again.
 */
export function FreshChoice({ holds = true }: { holds?: boolean }) {
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
        <ClearedChoice plan={cleared} holds={holds} />
      </Suspense>
    )
  )
}
