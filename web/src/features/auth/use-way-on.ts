import { type RefObject, useCallback, useEffect, useRef } from 'react'
import { read, readSelectedPlan, remove } from '../../lib/browser-storage'
import { go, isScreen } from '../../lib/go'
import { useConfirmedSession, useSeemsSignedIn } from '../../session/session'
import { afterLogin, afterSignUp, type Intent } from './after-auth'

/**
 * The way on from a form: where to go once signed in, and away at once for whoever already is.
 * `waiting` is true while somebody seems signed in and the server has not said so yet.
 */
export function useWayOn(alreadySignedIn: (intent: Intent) => string) {
  const session = useConfirmedSession()
  const seemsSignedIn = useSeemsSignedIn()
  // Set by a form that is being sent: it then decides the way, not the session that it makes.
  const sending = useRef(false)
  const target = useRef(alreadySignedIn)

  useEffect(() => {
    if (session.kind !== 'user' || sending.current) return
    go(takeIntent(target.current), { replace: true })
  }, [session])

  const leave = useCallback(
    (choose: (intent: Intent) => string) => go(takeIntent(choose), { replace: true }),
    [],
  )
  return {
    waiting: session.kind === 'user' ? !sending.current : session.kind === 'loading' && seemsSignedIn,
    sending: sending as RefObject<boolean>,
    leave,
  }
}

/** Reads the intent and drops the return point: it is good for one sign-up or login. */
function takeIntent(choose: (intent: Intent) => string): string {
  const address = choose({ plan: readSelectedPlan(), returnTo: read('loginRedirectUrl') })
  remove('loginRedirectUrl')
  return address
}

export const loginWay = (intent: Intent) => afterLogin(intent, isScreen)
export const signUpWay = (intent: Intent) => afterSignUp(intent, isScreen)
