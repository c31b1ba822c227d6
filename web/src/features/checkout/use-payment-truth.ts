import { useEffect, useState } from 'react'
import { reasonOf } from '../../api/app-error'
import { askCheckout } from '../../api/checkout'
import type { GetCheckoutSessionResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import type { Outcome } from '../../lib/checkout-outcome'
import { CHECKOUT_POLL_MS } from '../../lib/timers'

/** What the server says about one checkout, asked until it says something. */
export type Truth =
  | { kind: 'asking' }
  | { kind: 'known'; outcome: Outcome; answer: GetCheckoutSessionResponse }
  /** No such session. */
  | { kind: 'unknown' }

/**
 * Asks how a checkout stands, again while the server cannot be asked, and again while `wait` says so.
 * Without a session id it is unknown.
 */
export function usePaymentTruth(
  sessionId: string | null,
  wait: (outcome: Outcome) => boolean = () => false,
): Truth {
  const [truth, setTruth] = useState<Truth>(sessionId ? { kind: 'asking' } : { kind: 'unknown' })
  const [waits] = useState(() => wait)

  useEffect(() => {
    if (!sessionId) return
    let wanted = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = () => {
      timer = setTimeout(ask, CHECKOUT_POLL_MS)
    }
    const ask = async () => {
      try {
        const { outcome, answer } = await askCheckout(sessionId)
        if (!wanted) return
        setTruth({ kind: 'known', outcome, answer })
        if (waits(outcome)) again()
      } catch (cause) {
        if (!wanted) return
        if (['NOT_FOUND', 'INVALID_ARGUMENT'].includes(reasonOf(cause))) return setTruth({ kind: 'unknown' })
        console.warn('asking for the payment failed', cause)
        again()
      }
    }
    void ask()
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [sessionId, waits])
  return truth
}
