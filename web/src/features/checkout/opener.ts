import type { SelectedPlan } from '../../catalog/selected-plan'
import { SECOND_MS } from '../../lib/timers'
import { type CheckoutHello, readCheckoutMessage } from '../../purchase/checkout-message'

/** The /upsell page that opened this tab and waits for it. */
interface Watcher {
  page: Window
  /** The plan that was chosen there. */
  plan: SelectedPlan | null
}

/**
 * Asks the page that opened this tab whether it waits for it. Null when there is none, when it went
 * elsewhere, or when it does not answer: then this tab goes to its result page itself.
 */
export function askOpener(sessionId: string | null): Promise<Watcher | null> {
  const page: Window | null = window.opener
  if (!page || page.closed) return Promise.resolve(null)
  return new Promise((done) => {
    const end = (watcher: Watcher | null) => {
      clearTimeout(timer)
      removeEventListener('message', hear)
      done(watcher)
    }
    const hear = (event: MessageEvent) => {
      const message = event.source === page ? readCheckoutMessage(event, location.origin) : null
      if (message?.type === 'checkout_watched') end({ page, plan: message.plan })
    }
    const timer = setTimeout(() => end(null), SECOND_MS)
    addEventListener('message', hear)
    const hello: CheckoutHello = { type: 'checkout_hello', sessionId }
    page.postMessage(hello, location.origin)
  })
}
