import { useEffect } from 'react'
import { askCheckout } from '../../api/checkout'
import { isSubscribed } from '../../api/subscription'
import { resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import { paths } from '../../lib/paths'

/**
 * Whoever comes back to an open form may find its checkout over: expired, or paid in another tab, of this
 * session or of another. `onComplete` hears of a completed one; null while nobody needs to be told.
 */
export function useComeback(clientSecret: string, onComplete: (() => void) | null): void {
  useEffect(() => {
    const sessionId = sessionIdOf(clientSecret)
    if (!onComplete || !sessionId) return
    let idle = true
    let wanted = true
    const look = async () => {
      if (!idle || document.visibilityState !== 'visible') return
      idle = false
      try {
        const end = await endOf(sessionId)
        if (wanted && end === 'complete') onComplete()
        else if (wanted && end) location.replace(end)
      } catch (cause) {
        console.warn('asking for the checkout failed', cause)
      }
      idle = true
    }
    addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      wanted = false
      removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [clientSecret, onComplete])
}

/** The address that an ended checkout leads to; null for an open one. */
async function endOf(sessionId: string): Promise<'complete' | string | null> {
  const { outcome } = await askCheckout(sessionId)
  if (outcome === 'paid' || outcome === 'awaiting') return 'complete'
  if (await isSubscribed()) return paths.paymentSuccess
  return outcome === 'expired' ? resultAddress(paths.checkoutReturn, sessionId) : null
}
