import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/** True in the built page and while it wakes up: what depends on the visitor is not known yet. */
export function useWaking(): boolean {
  return useSyncExternalStore(
    never,
    () => false,
    () => true,
  )
}
