import type { SelectedPlan } from '../../catalog/selected-plan'
import { paths } from '../../lib/paths'

/** What the browser stores of the steps before the form. */
export interface Intent {
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
