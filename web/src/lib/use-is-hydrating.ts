import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/** True while prerendering and hydrating. Guard whatever depends on the URL query or on storage. */
export function useIsHydrating(): boolean {
  return useSyncExternalStore(
    never,
    () => false,
    () => true,
  )
}
