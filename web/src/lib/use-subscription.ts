import { useEffect, useState } from 'react'
import { askSubscription } from '../api/subscription'
import type { Subscription } from '../gen/garimpo/billing/v1/billing_service_pb'
import { useConfirmedSession } from './session'

/** Whether the person subscribes, as the server says. */
export type Subscribing =
  | { kind: 'asking' }
  | { kind: 'active'; subscription: Subscription }
  /** No paid access: nobody signed in, no answer, or a subscription that waits for a payment or is over. */
  | { kind: 'inactive'; subscription: Subscription | null }

/** Asks once for whoever is signed in. */
export function useSubscription(): Subscribing {
  const session = useConfirmedSession()
  const [known, setKnown] = useState<Subscribing>({ kind: 'asking' })
  const uid = session.kind === 'user' ? session.user.uid : null

  useEffect(() => {
    if (session.kind === 'none') setKnown({ kind: 'inactive', subscription: null })
    if (!uid) return
    let wanted = true
    load().then((loaded) => wanted && setKnown(loaded))
    return () => {
      wanted = false
    }
  }, [session.kind, uid])
  return known
}

async function load(): Promise<Subscribing> {
  try {
    const { subscription } = await askSubscription()
    return subscription?.active
      ? { kind: 'active', subscription }
      : { kind: 'inactive', subscription: subscription ?? null }
  } catch (cause) {
    console.warn('reading the subscription failed', cause)
    return { kind: 'inactive', subscription: null }
  }
}
