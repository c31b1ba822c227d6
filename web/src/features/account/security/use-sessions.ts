import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { AuthService } from '../../../gen/garimpo/auth/v1/auth_service_pb'
import { useToasts } from '../../../lib/toasts'
import { useUid } from '../../../session/session'
import { sessionEndError, security as texts } from '../../../texts/account-settings'

/** The server's maximum of one page. */
const MAX_SESSIONS = 100

/** Where the account is signed in. `ending` is the session that is being ended. */
export function useSessions() {
  const { show } = useToasts()
  const [ending, setEnding] = useState<string | null>(null)
  const uid = useUid()
  const {
    data,
    isError,
    isFetching,
    refetch: load,
  } = useQuery(AuthService.method.listSessions, { pageSize: MAX_SESSIONS }, { enabled: uid !== null })

  const end = async (id: string): Promise<boolean> => {
    setEnding(id)
    try {
      // One that ended meanwhile is what was wanted.
      await call(({ auth }) => auth.revokeSession({ id })).catch((cause: unknown) => {
        if (reasonOf(cause) !== 'NOT_FOUND') throw cause
      })
      show({ kind: 'success', title: texts.ended, about: 'session' })
      await load()
      return true
    } catch (cause) {
      show({ kind: 'error', title: sessionEndError(reasonOf(cause)), about: 'session' })
      return false
    } finally {
      setEnding(null)
    }
  }

  const sessions = isError ? undefined : data?.sessions
  return { sessions, isFailed: isError && !isFetching, ending, end, load }
}
