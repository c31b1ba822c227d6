import { useCallback, useState } from 'react'
import { logFailure } from '../../api/call'
import { askCheckout, type CheckoutState } from '../../api/checkout'
import { trackFinish } from '../../attribution/tracking'
import { resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import { type Path, paths } from '../../lib/paths'
import { after, CHECKOUT_CLOSE_MS, SECOND_MS } from '../../lib/timers'
import { succeeded } from '../../purchase/checkout-message'
import { askOpener } from './opener'

/** From the provider's form to the result page. */
export type Completion = 'paying' | 'confirming' | 'paid'

/** The provider may say 'complete' a moment before it says 'paid'. */
const QUESTIONS = 8

/**
 * What happens when the provider's form says that it is done. The form is only a hint: the server
 * is asked, and 'checkout_succeeded' is posted only when it says paid.
 */
export function useCompletion(clientSecret: string) {
  const [completion, setCompletion] = useState<Completion>('paying')

  const complete = useCallback(async () => {
    setCompletion('confirming')
    const sessionId = sessionIdOf(clientSecret)
    const state = sessionId ? await settled(sessionId) : null
    // Only a page that answers is left to go on by itself: it may have been reloaded, or be
    // elsewhere.
    const opener = (await askOpener(sessionId))?.page ?? null
    // With an opener it is the one that records the end; else before the page goes, but not for
    // long.
    if (!opener) await Promise.race([trackFinish(sessionId), after(SECOND_MS)])
    if (state?.outcome !== 'paid') return leave(opener, paths.paymentAwaited, sessionId)
    // A payment that is refunded bought nothing: its page says so, and no success is posted.
    if (!opener || state.answer.refundMethod) return leave(opener, paths.paymentSuccess, sessionId)
    opener.postMessage(succeeded(state.answer), location.origin)
    setCompletion('paid')
    setTimeout(() => leave(opener, paths.paymentSuccess, sessionId), CHECKOUT_CLOSE_MS)
  }, [clientSecret])

  return { completion, complete }
}

/**
 * Closes this window, whose opener goes on by itself; a window that stays goes to the result page.
 */
function leave(opener: Window | null, path: Path, sessionId: string | null): void {
  if (opener) window.close()
  setTimeout(() => location.replace(resultAddress(path, sessionId)), opener ? SECOND_MS : 0)
}

async function settled(sessionId: string): Promise<CheckoutState | null> {
  let last: CheckoutState | null = null
  for (let question = 0; question < QUESTIONS; question += 1) {
    if (question > 0) await after(SECOND_MS)
    last = (await askCheckout(sessionId).catch(logFailure('asking for the checkout failed'))) ?? last
    if (last?.outcome === 'paid') return last
    // A boleto is complete and stays unpaid for days.
    if (last?.outcome === 'awaiting' && last.answer.boleto) return last
  }
  return last
}
