import { type FocusEvent, type PointerEvent, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { rotation } from './rotation'

const CALM = '(prefers-reduced-motion: reduce)'

/** Whether the visitor asked for less motion; true until hydration, so that prerendered pages stand still. */
export function useCalm(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = matchMedia(CALM)
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => matchMedia(CALM).matches,
    () => true,
  )
}

/** Reports whether an element is in the window of a visible tab. Returns how to stop. */
function watchSight(element: HTMLElement, report: (seen: boolean) => void): () => void {
  let inWindow = false
  const update = () => report(inWindow && !document.hidden)
  const observer = new IntersectionObserver(([entry]) => {
    inWindow = entry?.isIntersecting === true
    update()
  })
  observer.observe(element)
  document.addEventListener('visibilitychange', update)
  return () => {
    observer.disconnect()
    document.removeEventListener('visibilitychange', update)
  }
}

/**
 * The shown one of `count`, moving on every `intervalMs`. It stops while out of sight, with reduced motion, while
 * the pointer rests on what `hover` is spread over or the keyboard's focus is in what `focus` is spread over,
 * and while the visitor paused it.
 */
export function useRotation(count: number, intervalMs: number) {
  const [index, setIndex] = useState(0)
  const [turns] = useState(() => rotation(count, intervalMs, setIndex))
  const [paused, setPaused] = useState(false)
  const [hovered, setHovered] = useState(false)
  const [focused, setFocused] = useState(false)
  const [seen, setSeen] = useState(false)
  const watch = useCallback(
    (element: HTMLElement | null) => (element ? watchSight(element, setSeen) : undefined),
    [],
  )
  const calm = useCalm()
  const holds = paused || hovered || focused || calm || !seen

  useEffect(() => {
    if (holds) return
    turns.run()
    return turns.hold
  }, [turns, holds])

  return {
    index,
    go: turns.go,
    calm,
    paused,
    setPaused,
    hover: {
      // A tap is no hover: it would hold for good.
      onPointerEnter: ({ pointerType }: PointerEvent) => setHovered(pointerType === 'mouse'),
      onPointerLeave: () => setHovered(false),
    },
    focus: {
      ref: watch,
      // A clicked tab keeps the focus: only the keyboard's holds.
      onFocus: ({ target }: FocusEvent) => setFocused(target.matches(':focus-visible')),
      onBlur: () => setFocused(false),
    },
  }
}
