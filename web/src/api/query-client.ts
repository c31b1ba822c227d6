import { focusManager, QueryCache, QueryClient } from '@tanstack/react-query'

// Also without a change of visibility: back from another window, or from a dialog of the system.
focusManager.setEventListener((onFocus) => {
  const look = () => onFocus()
  const listening = new AbortController()
  for (const event of ['visibilitychange', 'focus'])
    addEventListener(event, look, { signal: listening.signal })
  return () => listening.abort()
})

/**
 * What was read from the server, shared by the parts of a page that show it. Hooks name it themselves
 * (`useQuery(options, queryClient)`), because a provider around every page would make the marketing pages load it.
 * A page that opens reads anew: nothing outlives the page that shows it.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (cause, { meta, queryKey: [what] }) =>
      console.warn(meta?.failure ?? `reading the ${String(what)} failed`, cause),
  }),
  defaultOptions: {
    queries: {
      gcTime: 0,
      retry: false,
      // A call fails by itself without a connection, and says so.
      networkMode: 'always',
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      refetchIntervalInBackground: true,
      structuralSharing: false,
    },
  },
})
// A provider would do it: from here on it hears of the window's focus.
queryClient.mount()
