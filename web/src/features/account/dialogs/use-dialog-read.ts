import { useQuery } from '@tanstack/react-query'
import { type Clients, call } from '../../../api/call'
import { queryClient } from '../../../api/query-client'
import { useUid } from '../../../session/session'

/** What a dialog shows of the server, read each time it opens; `what` names it in the log. */
export function useDialogRead<Answer>(
  open: boolean,
  what: string,
  read: (clients: Clients) => Promise<Answer>,
) {
  const { data, isFetching, isError, refetch } = useQuery(
    { queryKey: [what, useUid()], queryFn: () => call(read), enabled: open },
    queryClient,
  )
  return {
    answer: isFetching || isError ? undefined : data,
    isFailed: isError && !isFetching,
    again: () => void refetch(),
  }
}
