import { useQuery } from '@tanstack/react-query'
import { type Clients, call } from '../../../api/call'
import { queryClient } from '../../../api/query-client'
import { useUid } from '../../../session/session'

export type DialogRead<Answer> = { kind: 'loading' } | { kind: 'failed' } | { kind: 'ready'; answer: Answer }

/** What a dialog shows of the server, read each time it opens; `what` names it in the log. */
export function useDialogRead<Answer>(
  open: boolean,
  what: string,
  read: (clients: Clients) => Promise<Answer>,
): { content: DialogRead<Answer>; again: () => void } {
  const { data, isFetching, isError, refetch } = useQuery(
    { queryKey: [what, useUid()], queryFn: () => call(read), enabled: open },
    queryClient,
  )
  const again = () => void refetch()
  if (isFetching) return { content: { kind: 'loading' }, again }
  if (isError) return { content: { kind: 'failed' }, again }
  return { content: data === undefined ? { kind: 'loading' } : { kind: 'ready', answer: data }, again }
}
