import { useEffect, useState } from 'react'
import { call } from '../../api/call'
import { useSeemsSignedIn, useSession } from '../../session/session'

/** Id of the plan that the visitor pays for; null without one, and until the server has said so. */
export function useOwnPlan(): string | null {
  const signedIn = useSeemsSignedIn()
  const { session, confirm } = useSession()
  // With the uid, because who is signed in may change before the server answers.
  const [read, setRead] = useState<{ uid: string; plan: string | null } | null>(null)
  useEffect(() => {
    if (!signedIn) return
    void confirm().then(async (user) => user && setRead({ uid: user.uid, plan: await activePlan(user.uid) }))
  }, [signedIn, confirm])
  return read && session.kind === 'user' && session.user.uid === read.uid ? read.plan : null
}

/** Id of the plan of an active subscription. A failure counts as none: the checkout refuses a second one anyway. */
export async function activePlan(uid: string): Promise<string | null> {
  try {
    const { user } = await call(({ users }) => users.getUser({ uid }), { unasked: true })
    return user?.subscriptionActive ? (user.subscriptionPlan ?? null) : null
  } catch (cause) {
    console.warn('the subscription could not be read', cause)
    return null
  }
}
