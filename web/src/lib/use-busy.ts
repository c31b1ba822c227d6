import { useCallback, useRef, useState } from 'react'

/**
 * Whether a form is being sent. `busy` is for what is shown; `isBusy` knows at once, before the next render,
 * so that two submits in one tick send one call.
 */
export function useBusy() {
  const now = useRef(false)
  const [busy, show] = useState(false)
  const setBusy = useCallback((next: boolean) => {
    now.current = next
    show(next)
  }, [])
  const isBusy = useCallback(() => now.current, [])
  return { busy, isBusy, setBusy }
}
