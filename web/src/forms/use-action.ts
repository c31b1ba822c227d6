import { useMutation } from '@tanstack/react-query'
import { type Reason, reasonOf } from '../api/app-error'
import { type Toast, useToasts } from '../lib/toasts'

/**
 * A button that calls the server, busy meanwhile. A toast about the subject `about` shows what
 * `act` returns, or why it failed: `explain` gives the text.
 */
export function useAction(
  about: string,
  act: () => Promise<Pick<Toast, 'title' | 'description'> | null>,
  explain: (reason: Reason) => string,
) {
  const { show } = useToasts()
  const { isPending: busy, mutate } = useMutation({
    mutationFn: act,
    onSuccess: (said) => said && show({ kind: 'success', ...said, about }),
    onError: (cause) => show({ kind: 'error', title: explain(reasonOf(cause)), about }),
  })
  return { busy, run: () => mutate() }
}
