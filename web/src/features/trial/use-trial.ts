import { useEffect, useState } from 'react'
import { askSubscription, isLive } from '../../api/subscription'
import { toDate } from '../../lib/dates'
import { serverNow } from '../../lib/server-clock'
import { useConfirmedSession } from '../../lib/session'

/** The free trial of whoever is signed in: 7 days from account creation, no card. */
export type Trial =
  | { kind: 'loading' }
  /** `firstChargeAt`: when a purchase made now is first charged, where that is not at once. */
  | { kind: 'running'; end: Date; firstChargeAt: Date | null }
  | { kind: 'over'; end: Date }
  | { kind: 'subscribed' }
  | { kind: 'unknown' }

/** Asks the server; 'unknown' without a session or without an answer, which is no verdict. */
export function useTrial(): Trial {
  const session = useConfirmedSession()
  const [trial, setTrial] = useState<Trial>({ kind: 'loading' })
  const uid = session.kind === 'user' ? session.user.uid : null

  useEffect(() => {
    if (session.kind === 'none') setTrial({ kind: 'unknown' })
    if (!uid) return
    let wanted = true
    load().then((loaded) => wanted && setTrial(loaded))
    return () => {
      wanted = false
    }
  }, [session.kind, uid])
  return trial
}

async function load(): Promise<Trial> {
  try {
    const answer = await askSubscription()
    if (isLive(answer.subscription)) return { kind: 'subscribed' }
    const end = toDate(answer.trialEndsAt)
    if (!end) return { kind: 'unknown' }
    if (end <= serverNow()) return { kind: 'over', end }
    return { kind: 'running', end, firstChargeAt: toDate(answer.firstChargeAt) }
  } catch (cause) {
    console.warn('reading the trial failed', cause)
    return { kind: 'unknown' }
  }
}
