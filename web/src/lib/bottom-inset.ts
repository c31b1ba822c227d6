import { useSyncExternalStore } from 'react'

let covered = 0
const listeners = new Set<() => void>()

/**
 * Sets the height of a bar that is fixed to the bottom, in px: the page, its anchors and its toasts
 * stay above it. Not a custom property, because every element would inherit it and all styles would
 * be computed again.
 */
export function setBottomInset(px: number): void {
  covered = px
  const covers = px > 0
  document.documentElement.style.scrollPaddingBottom = covers ? `${px}px` : ''
  document.body.style.paddingBottom = covers ? `${px}px` : ''
  // Read by styles of other fixed parts.
  document.body.toggleAttribute('data-bottom-inset', covers)
  for (const listener of listeners) listener()
}

export function useBottomInset(): number {
  return useSyncExternalStore(listen, () => covered)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
