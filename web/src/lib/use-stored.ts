import { useSyncExternalStore } from 'react'
import { read, readSelectedPlan, type SelectedPlan, type StorageKey, subscribe } from './browser-storage'

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

/**
 * The chosen plan, read anew once its coupon was removed. It does not follow every write, because a link that stores
 * what it leads to must not change while it is followed.
 */
export function useSelectedPlan(): SelectedPlan | null {
  useStored('promoCode')
  return readSelectedPlan()
}
