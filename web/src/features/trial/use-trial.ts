import { useEffect, useState } from 'react'
import { call } from '../../api/call'
import { toDate } from '../../lib/dates'
import { followServerTime } from '../../lib/server-clock'
import { useConfirmedSession } from '../../lib/session'

/** The free trial of whoever is signed in: 7 days from account creation, no card. Design section 7. */
export type Trial =
  | { kind: 'loading' }
  | { kind: 'running'; end: Date }
  | { kind: 'over'; end: Date }
  | { kind: 'none' }

/** Asks the server; 'none' without a session, without an answer, or for whoever subscribes already. */
export function useTrial(): Trial {
  const session = useConfirmedSession()
  const [trial, setTrial] = useState<Trial>({ kind: 'loading' })
  const uid = session.kind === 'user' ? session.user.uid : null

  useEffect(() => {
    if (session.kind === 'none') setTrial({ kind: 'none' })
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
    const answer = await call(({ billing }) => billing.getSubscription({}))
    const now = toDate(answer.serverTime)
    const end = toDate(answer.trialEndsAt)
    if (now) followServerTime(now)
    if (!end || answer.subscription?.active) return { kind: 'none' }
    return { kind: end > (now ?? new Date()) ? 'running' : 'over', end }
  } catch (cause) {
    console.warn('reading the trial failed', cause)
    return { kind: 'none' }
  }
}
