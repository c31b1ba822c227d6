import { useQuery } from '@connectrpc/connect-query'
import { useMutation } from '@tanstack/react-query'
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
  const uid = useUid()
  const {
    data,
    isError,
    isFetching,
    refetch: load,
  } = useQuery(AuthService.method.listSessions, { pageSize: MAX_SESSIONS }, { enabled: uid !== null })

  const {
    isPending,
    variables,
    mutate: end,
  } = useMutation({
    mutationFn: (id: string) => call(({ auth }) => auth.revokeSession({ id })).catch(unlessEnded),
    onSuccess: () => {
      show({ kind: 'success', title: texts.ended, about: 'session' })
      return load()
    },
    onError: (cause) => show({ kind: 'error', title: sessionEndError(reasonOf(cause)), about: 'session' }),
  })

  const sessions = isError ? undefined : data?.sessions
  const ending = isPending ? variables : null
  return { sessions, isFailed: isError && !isFetching, ending, end, load }
}

/** A session that has ended already needs no end. */
function unlessEnded(cause: unknown): void {
  if (reasonOf(cause) !== 'NOT_FOUND') throw cause
}
