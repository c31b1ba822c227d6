import { useCallback, useEffect, useRef, useState } from 'react'

/**
 * Whether a form is being sent. `busy` is for what is shown; `isBusy` knows at once, before the next render,
 * so that two submits in one tick send one call. What had the focus gets it back: a button that waits loses it.
 */
export function useBusy() {
  const now = useRef(false)
  const focused = useRef<Element>(null)
  const [busy, show] = useState(false)
  const setBusy = useCallback((next: boolean) => {
    if (next) focused.current = document.activeElement
    now.current = next
    show(next)
  }, [])
  useEffect(() => {
    if (!busy && document.activeElement === document.body && focused.current instanceof HTMLElement)
      focused.current.focus()
  }, [busy])
  const isBusy = useCallback(() => now.current, [])
  return { busy, isBusy, setBusy }
}
