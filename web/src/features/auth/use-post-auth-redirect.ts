import { useEffect, useEffectEvent, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { readSelectedPlan, type SelectedPlan } from '../../catalog/selected-plan'
import { read, remove } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { routeOf } from '../../routes/routes'
import { useConfirmedSession, useSeemsSignedIn } from '../../session/session'

/**
 * The redirect after a sign-up or login. A visitor who is already signed in is redirected at once.
 * `waiting` is true while somebody seems signed in and the server has not confirmed it yet.
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

/** What the browser stores of the steps before the form. */
interface Intent {
  plan: Pick<SelectedPlan, 'planId'> | null
  /** loginRedirectUrl as stored. */
  returnTo: string | null
}

/** Top Afiliado skips the upsell after sign-up. */
const WITHOUT_UPSELL = 'top_afiliado'

/** The target of a new account. The stored plan comes first; without one, the return address. */
export function afterSignUp({ plan, returnTo }: Intent, isRoute: (address: string) => boolean): string {
  if (plan) return plan.planId === WITHOUT_UPSELL ? paths.accountConfirmation : paths.upsell
  return safeReturn(returnTo, isRoute) ?? paths.accountConfirmation
}

/** The target of a login, and of a signed-in visitor who opens /login. */
export function afterLogin({ plan, returnTo }: Intent, isRoute: (address: string) => boolean): string {
  if (plan) return paths.upsell
  return safeReturn(returnTo, isRoute) ?? paths.account
}

/** Only a path of the route table is followed, never another site. */
function safeReturn(returnTo: string | null, isRoute: (address: string) => boolean): string | null {
  if (!returnTo?.startsWith('/') || /^\/[/\\]/.test(returnTo)) return null
  const pathname = returnTo.replace(/[?#].*$/, '')
  const screens: readonly string[] = [paths.login, paths.signUp, '/signup']
  if (screens.includes(pathname)) return null
  return isRoute(returnTo) ? returnTo : null
}
