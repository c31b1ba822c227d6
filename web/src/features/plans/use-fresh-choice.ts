import { useEffect } from 'react'
import { clearSelectedPlan } from '../../lib/browser-storage'

/**
 * Opening a plans page clears a stored selection, also when the way to the next page was turned back
 * before that page came: then this one was never left.
 */
export function useFreshChoice(): void {
  useEffect(() => {
    const { pathname } = location
    const onTravel = () => location.pathname === pathname && clearSelectedPlan()
    clearSelectedPlan()
    addEventListener('popstate', onTravel)
    return () => removeEventListener('popstate', onTravel)
  }, [])
}
