import { useMutation } from '@tanstack/react-query'
import { reasonOf } from '../../../api/app-error'
import type { Clients } from '../../../api/call'
import { type Path, paths } from '../../../lib/paths'
import { useToasts } from '../../../lib/toasts'
import { useSession } from '../../../session/session'
import { logout as texts } from '../../../texts/account'
import { security, sessionEndError } from '../../../texts/account-settings'

/** Which devices leave the account. */
type Where = 'here' | 'everywhere'

const words = {
  here: { success: texts.success, failed: () => texts.failed },
  everywhere: { success: security.endedAll, failed: sessionEndError },
}
const everywhere = ({ auth }: Clients) => auth.revokeSession({ includeCurrent: true })

/** Ends the session. The guard of the account then goes to `to`. */
export function useLogout(to: Path = paths.home, where: Where = 'here') {
  const { signOut } = useSession()
  const { show } = useToasts()
  const { isError, isIdle, mutate } = useMutation({
    mutationFn: () => signOut(to, where === 'everywhere' ? everywhere : undefined),
    onSuccess: () => show({ kind: 'success', title: words[where].success }),
    onError: (cause) => {
      console.warn('signing out failed', cause)
      show({ kind: 'error', title: words[where].failed(reasonOf(cause)) })
    },
  })
  // Busy until the next page is there.
  return { leaving: !isIdle && !isError, logout: () => mutate() }
}
