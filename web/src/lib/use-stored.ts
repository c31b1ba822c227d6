import { useSyncExternalStore } from 'react'
import { read, type StorageKey, subscribe } from './browser-storage'

/**
 * A value of the browser's storage. Follows changes by other tabs. Null without a value, and in a
 * built page.
 */
export function useStored(key: StorageKey): string | null {
  return useSyncExternalStore(
    subscribe,
    () => read(key),
    () => null,
  )
}
