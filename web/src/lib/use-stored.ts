import { useSyncExternalStore } from 'react'
import { read, type StorageKey, subscribe } from './browser-storage'

/** A value of the browser's storage, also as another tab changes it; null without one, and in a built page. */
export function useStored(key: StorageKey): string | null {
  return useSyncExternalStore(
    subscribe,
    () => read(key),
    () => null,
  )
}
