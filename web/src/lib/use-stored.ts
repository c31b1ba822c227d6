import { useMemo, useSyncExternalStore } from 'react'
import {
  read,
  readStoredUser,
  readTab,
  type StorageKey,
  type StoredUser,
  subscribe,
  type TabKey,
} from './browser-storage'

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

/** A value of this tab alone. */
export function useTabStored(key: TabKey): string | null {
  return useSyncExternalStore(
    subscribe,
    () => readTab(key),
    () => null,
  )
}

/** Who is signed in, as the browser remembers it. */
export function useStoredUser(): StoredUser | null {
  const stored = useSyncExternalStore(
    subscribe,
    () => JSON.stringify(readStoredUser()),
    () => 'null',
  )
  return useMemo(() => {
    const user: StoredUser | null = JSON.parse(stored)
    return user && { ...user, registeredAt: user.registeredAt && new Date(user.registeredAt) }
  }, [stored])
}
