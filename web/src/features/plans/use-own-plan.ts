import { useEffect, useState } from 'react'
import { call } from '../../api/call'
import { useSeemsSignedIn, useSession } from '../../session/session'

/** Id of the plan that the visitor pays for; null without one, and until the server has said so. */
export function useOwnPlan(): string | null {
  const signedIn = useSeemsSignedIn()
  const { confirm } = useSession()
  const [own, setOwn] = useState<string | null>(null)
  useEffect(() => {
    if (!signedIn) return setOwn(null)
    let wanted = true
    void confirm()
      .then((user) => user && activePlan(user.uid))
      .then((plan) => wanted && setOwn(plan))
    return () => {
      wanted = false
    }
  }, [signedIn, confirm])
  return own
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
