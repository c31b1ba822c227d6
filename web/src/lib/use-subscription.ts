import { useEffect, useState } from 'react'
import { askSubscription, isLive } from '../api/subscription'
import type { Subscription } from '../gen/garimpo/billing/v1/billing_service_pb'
import { toDate } from './dates'
import { useConfirmedSession } from './session'

/** Whether the person subscribes, as the server says. */
export type Subscribing =
  | { kind: 'asking' }
  | { kind: 'active'; subscription: Subscription }
  /** Nothing live: nobody signed in, no answer, or a subscription that waits for a payment or is over. */
  | {
      kind: 'inactive'
      subscription: Subscription | null
      /** When a purchase made now is first charged, where that is not at once. */
      firstChargeAt: Date | null
    }

const NOTHING: Subscribing = { kind: 'inactive', subscription: null, firstChargeAt: null }

/** Asks once for whoever is signed in. */
export function useSubscription(): Subscribing {
  const session = useConfirmedSession()
  const [known, setKnown] = useState<Subscribing>({ kind: 'asking' })
  const uid = session.kind === 'user' ? session.user.uid : null

  useEffect(() => {
    if (session.kind === 'none') setKnown(NOTHING)
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
    const { subscription, firstChargeAt } = await askSubscription()
    return subscription && isLive(subscription)
      ? { kind: 'active', subscription }
      : { kind: 'inactive', subscription: subscription ?? null, firstChargeAt: toDate(firstChargeAt) }
  } catch (cause) {
    console.warn('reading the subscription failed', cause)
    return NOTHING
  }
}
