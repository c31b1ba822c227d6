import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { askCheckout } from '../../api/checkout'
import { isSubscribed } from '../../api/subscription'
import { resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import { paths } from '../../lib/paths'

/**
 * An open form may have an ended checkout when the visitor returns: expired, or paid in another
 * tab, of this session or of another. `onComplete` is called for a completed one; null turns the
 * check off.
 */
export function useRecheckOnFocus(clientSecret: string, onComplete: (() => void) | null): void {
  const sessionId = sessionIdOf(clientSecret)
  const { data: end } = useQuery({
    queryKey: ['end of the checkout', sessionId],
    queryFn: () => endOf(sessionId ?? ''),
    enabled: onComplete !== null && sessionId !== null,
    // Open, as it was just made: it is read when the visitor comes back.
    initialData: null,
    refetchOnMount: false,
    refetchOnWindowFocus: 'always',
  })
  useEffect(() => {
    if (end === 'complete') onComplete?.()
    else if (end) location.replace(end)
  }, [end, onComplete])
}

/** The address that an ended checkout leads to; null for an open one. */
async function endOf(sessionId: string): Promise<'complete' | string | null> {
  const { outcome } = await askCheckout(sessionId)
  if (outcome === 'paid' || outcome === 'awaiting') return 'complete'
  if (await isSubscribed()) return paths.paymentSuccess
  return outcome === 'expired' ? resultAddress(paths.checkoutReturn, sessionId) : null
}
