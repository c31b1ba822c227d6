import { useSyncExternalStore } from 'react'
import { read, subscribe } from '../lib/browser-storage'

/** The promo code that brought the visitor, until it is used, refused or removed; null without one. */
export function usePromoCode(): string | null {
  return useSyncExternalStore(
    subscribe,
    () => read('promoCode'),
    () => null,
  )
}
