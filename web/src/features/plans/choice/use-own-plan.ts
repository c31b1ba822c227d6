import { useEffect, useState } from 'react'
import { call, logFailure } from '../../../api/call'
import { useSeemsSignedIn, useSession } from '../../../session/session'

/** The visitor's purchase, as the plans pages show it. */
interface OwnPlan {
  /** Id of the plan that the visitor pays for. */
  own: string | null
  /** Whether the first payment is awaited, or the renewal of a suspended subscription. */
  awaitsPayment: boolean
}

const NOTHING: OwnPlan = { own: null, awaitsPayment: false }

/** The visitor's purchase; nothing until the server has responded. */
export function useOwnPlan(): OwnPlan {
  const signedIn = useSeemsSignedIn()
  const { session, confirm } = useSession()
  // With the uid, because the user may change before the server responds.
  const [read, setRead] = useState<{ uid: string; plan: OwnPlan } | null>(null)
  useEffect(() => {
    if (!signedIn) return
    void confirm().then(async (user) => user && setRead({ uid: user.uid, plan: await readOwnPlan(user.uid) }))
  }, [signedIn, confirm])
  return read && session.kind === 'user' && session.user.uid === read.uid ? read.plan : NOTHING
}

/** A failure counts as nothing: the checkout refuses a second subscription anyway. */
export async function readOwnPlan(uid: string): Promise<OwnPlan> {
  const answer = await call(({ users }) => users.getUser({ uid }), { background: true }).catch(
    logFailure('the subscription could not be read'),
  )
  const user = answer?.user
  return {
    own: user?.subscriptionActive ? (user.subscriptionPlan ?? null) : null,
    awaitsPayment: ['awaiting_payment', 'suspended'].includes(user?.subscriptionStatus ?? ''),
  }
}
