import { useEffect } from 'react'
import { askCheckout } from '../../api/checkout'
import { read } from '../../lib/browser-storage'
import { resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import { go } from '../../lib/go'
import { paths } from '../../lib/paths'
import { useConfirmedSession } from '../../lib/session'

/** Asks once, when the page opens, whether a checkout of before has been paid, and goes to its confirmation. */
export function usePaidMeanwhile(): void {
  const signedIn = useConfirmedSession().kind === 'user'
  useEffect(() => {
    const sessionId = sessionIdOf(read('checkoutClientSecret'))
    if (!signedIn || !sessionId) return
    let wanted = true
    askCheckout(sessionId).then(
      ({ outcome }) => {
        if (wanted && outcome === 'paid')
          go(resultAddress(paths.paymentSuccess, sessionId), { replace: true })
      },
      (cause: unknown) => console.warn('asking for the checkout of before failed', cause),
    )
    return () => {
      wanted = false
    }
  }, [signedIn])
}
