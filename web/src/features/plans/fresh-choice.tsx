import { lazy, Suspense, useEffect, useState } from 'react'
import { readClearedPlan, type SelectedPlan, setSelectedPlanAside } from '../../lib/browser-storage'

const ClearedChoice = lazy(() => import('./cleared-choice'))

/**
 * Opening a plans page clears a stored selection, also when the way to the next page was turned back
 * before that page came: then this one was never left. The cleared one is offered again.
 */
export function FreshChoice({ holds = true }: { holds?: boolean }) {
  const [cleared, setCleared] = useState<SelectedPlan | null>(null)
  useEffect(() => {
    const { pathname } = location
    const clear = () => {
      setSelectedPlanAside()
      setCleared(readClearedPlan())
    }
    const onTravel = () => location.pathname === pathname && clear()
    clear()
    addEventListener('popstate', onTravel)
    return () => removeEventListener('popstate', onTravel)
  }, [])
  return (
    cleared && (
      <Suspense>
        <ClearedChoice plan={cleared} holds={holds} />
      </Suspense>
    )
  )
}
