import { useCallback, useState } from 'react'
import { useGo } from '../../lib/go'
import { type Path, paths } from '../../lib/paths'
import { useSession } from '../../lib/session'
import { useToasts } from '../../lib/toasts'
import { logout as texts } from '../../texts/login'

/** Ends the session and goes home, or to where the screen says. Spec section 4, logout. */
export function useLogout(to: Path = paths.home): { leaving: boolean; logout: () => Promise<void> } {
  const { signOut } = useSession()
  const { show } = useToasts()
  const go = useGo()
  const [leaving, setLeaving] = useState(false)

  const logout = useCallback(async () => {
    setLeaving(true)
    try {
      await signOut(to)
      show({ kind: 'success', title: texts.success })
      go(to)
    } catch (cause) {
      console.warn('signing out failed', cause)
      show({ kind: 'error', title: texts.failed })
      setLeaving(false)
    }
  }, [signOut, show, go, to])
  return { leaving, logout }
}
