import { focusManager, hashKey, QueryCache, QueryClient } from '@tanstack/react-query'
import { read } from '../lib/browser-storage'

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
 * site load it. Entries belong to an account. A page that opens again shows them while it reads
 * anew.
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
      retry: false,
      // A call without a connection fails by itself.
      networkMode: 'always',
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      structuralSharing: false,
    },
    mutations: { networkMode: 'always' },
  },
})
// As a provider does: the client then follows the window's focus.
queryClient.mount()
