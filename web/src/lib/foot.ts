import { useSyncExternalStore } from 'react'

let covered = 0
const listeners = new Set<() => void>()

/**
 * Keeps free what stands over the window's foot, px: under the page, where it scrolls to, and under its toasts. No
 * custom property tells it, since every element would inherit that, and the whole page's styles be computed anew.
 */
export function coverFoot(px: number): void {
  covered = px
  document.documentElement.style.scrollPaddingBottom = `${px}px`
  document.body.style.paddingBottom = `${px}px`
  for (const tell of listeners) tell()
}

export function useCoveredFoot(): number {
  return useSyncExternalStore(listen, () => covered)
}

function listen(tell: () => void): () => void {
  listeners.add(tell)
  return () => listeners.delete(tell)
}
