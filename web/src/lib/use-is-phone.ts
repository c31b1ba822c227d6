import { useSyncExternalStore } from 'react'

const PHONE = '(max-width: 767.98px)'

/** Whether the window is as narrow as a phone's. For pages that no build renders. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(PHONE).matches)
}

function subscribe(onChange: () => void): () => void {
  const query = matchMedia(PHONE)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}
