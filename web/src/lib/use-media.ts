import { useCallback, useSyncExternalStore } from 'react'

/** Whether the window matches a media query; `built` in a prerendered page until hydration. */
export function useMedia(query: string, built = false): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const media = matchMedia(query)
      media.addEventListener('change', onChange)
      return () => media.removeEventListener('change', onChange)
    },
    [query],
  )
  return useSyncExternalStore(
    subscribe,
    () => matchMedia(query).matches,
    () => built,
  )
}
