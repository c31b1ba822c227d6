import { type RefObject, useEffect } from 'react'

/**
 * A scroll is over when no event came for this long; `scrollend` is too young for the phones we
 * meet.
 */
const SETTLED_MS = 120

/** Calls `settled` each time the element has come to rest after a scroll, by hand or by script. */
export function useSettledScroll(
  ref: RefObject<HTMLElement | null>,
  settled: (element: HTMLElement) => void,
) {
  useEffect(() => {
    const element = ref.current
    if (!element) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const scrolled = () => {
      clearTimeout(timer)
      timer = setTimeout(() => settled(element), SETTLED_MS)
    }
    element.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      clearTimeout(timer)
      element.removeEventListener('scroll', scrolled)
    }
  }, [ref, settled])
}
