import { useEffect, useEffectEvent, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { readSelectedPlan } from '../../catalog/selected-plan'
import { read, remove } from '../../lib/browser-storage'
import { routeOf } from '../../routes/routes'
import { useConfirmedSession, useSeemsSignedIn } from '../../session/session'
import { afterLogin, afterSignUp, type Intent } from './after-auth'

/**
 * The redirect after a sign-up or login. A visitor who is already signed in is redirected at once.
 * `waiting` is true while somebody seems signed in and the server has not said so yet.
 */
export function usePostAuthRedirect(alreadySignedIn: (intent: Intent) => string) {
  const session = useConfirmedSession()
  const seemsSignedIn = useSeemsSignedIn()
  // True while a form is sent: the form then chooses the target, not the session that it creates.
  const [sending, setSending] = useState(false)
  const navigate = useNavigate()
  const redirect = async (choose: (intent: Intent) => string) =>
    navigate(takeIntent(choose), { replace: true })
  const redirectNow = useEffectEvent(() => void redirect(alreadySignedIn))

  useEffect(() => {
    if (session.kind === 'user' && !sending) redirectNow()
  }, [session, sending])

  /** Calls `act`, which creates the session, and goes to the target that `choose` returns. */
  const signInAndRedirect = async (act: () => Promise<void>, choose: (intent: Intent) => string) => {
    setSending(true)
    try {
      await act()
    } catch (cause) {
      setSending(false)
      throw cause
    }
    await redirect(choose)
  }
  return {
    waiting: session.kind === 'user' ? !sending : session.kind === 'loading' && seemsSignedIn,
    signInAndRedirect,
  }
}

/** Reads the intent and drops the return point: it is good for one sign-up or login. */
function takeIntent(choose: (intent: Intent) => string): string {
  const address = choose({ plan: readSelectedPlan(), returnTo: read('loginRedirectUrl') })
  remove('loginRedirectUrl')
  return address
}

const isScreen = (address: string) => routeOf(address) !== null
export const afterLoginPath = (intent: Intent) => afterLogin(intent, isScreen)
export const afterSignUpPath = (intent: Intent) => afterSignUp(intent, isScreen)
