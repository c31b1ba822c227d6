import { useEffect, useState } from 'react'
import { askSubscription, isLive } from '../../api/subscription'
import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { CHECKOUT_POLL_MS } from '../../lib/timers'

/** What the account has, as the server says: a subscription that runs, a boleto that waits, or neither. */
export type Held =
  | { kind: 'asking' }
  /** `waited`: this page saw its boleto before. */
  | { kind: 'active'; waited: boolean }
  | { kind: 'boleto'; boleto: Boleto }
  | { kind: 'nothing' }

/** Asks for whoever is signed in, again while the server cannot be asked and while a boleto waits. */
export function useHeld(): Held {
  const [held, setHeld] = useState<Held>({ kind: 'asking' })

  useEffect(() => {
    let wanted = true
    let waited = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = () => {
      timer = setTimeout(ask, CHECKOUT_POLL_MS)
    }
    const ask = async () => {
      try {
        const { subscription, boleto } = await askSubscription()
        if (!wanted) return
        if (isLive(subscription)) return setHeld({ kind: 'active', waited })
        if (!boleto) return setHeld({ kind: 'nothing' })
        waited = true
        setHeld({ kind: 'boleto', boleto })
        again()
      } catch (cause) {
        if (!wanted) return
        console.warn('asking for the subscription failed', cause)
        again()
      }
    }
    void ask()
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [])
  return held
}
