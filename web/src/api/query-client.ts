import { focusManager, hashKey, QueryCache, QueryClient } from '@tanstack/react-query'
import { read } from '../lib/browser-storage'
import { SECOND_MS } from '../lib/timers'

// Also without a change of visibility: back from another window, or from a dialog of the system.
focusManager.setEventListener((onFocus) => {
  if (import.meta.env.SSR) return undefined
  const look = () => onFocus()
  const listening = new AbortController()
  for (const event of ['visibilitychange', 'focus'])
    addEventListener(event, look, { signal: listening.signal })
  return () => listening.abort()
})

/**
 * What was read from the server. The app provides it to its pages. Parts of the site name it
 * themselves (`useQuery(options, queryClient)`), because a provider would make every page of the
 * site load it. Entries belong to an account. A page that opens again within the library's five
 * minutes shows them instead of a spinner, and reads them again.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (cause, { meta, queryKey: [what, method] }) => {
      // Keys of connect-query name the method at their second place.
      const { methodName = what } = (method ?? {}) as { methodName?: string }
      console.warn(meta?.failure ?? `reading the ${String(methodName)} failed`, cause)
    },
  }),
  defaultOptions: {
    queries: {
      queryKeyHashFn: (key) => hashKey([read('uid'), key]),
      // The parts of a screen, which mount one after the other, share one read.
      staleTime: SECOND_MS,
      // A refusal would be the same again, and every screen of a failure offers another try.
      retry: false,
      // A call without a connection fails by itself.
      networkMode: 'always',
      // A dialog would lose what was typed in it. Reads of payments turn it on.
      refetchOnWindowFocus: false,
    },
    mutations: { networkMode: 'always' },
  },
})
// As a provider does: the client then follows the window's focus.
queryClient.mount()
