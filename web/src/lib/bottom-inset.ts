import { useSyncExternalStore } from 'react'

let covered = 0
const listeners = new Set<() => void>()

/**
 * Keeps free what stands over the window's foot, px: under the page, where it scrolls to, and under its toasts. No
 * custom property tells it, since every element would inherit that, and the whole page's styles be computed anew.
 */
export function setBottomInset(px: number): void {
  covered = px
  const covers = px > 0
  document.documentElement.style.scrollPaddingBottom = covers ? `${px}px` : ''
  document.body.style.paddingBottom = covers ? `${px}px` : ''
  // For what else stands there.
  document.body.toggleAttribute('data-foot', covers)
  for (const tell of listeners) tell()
}

export function useBottomInset(): number {
  return useSyncExternalStore(listen, () => covered)
}

function listen(tell: () => void): () => void {
  listeners.add(tell)
  return () => listeners.delete(tell)
}
