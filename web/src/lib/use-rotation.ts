import { type FocusEvent, type PointerEvent, useEffect, useState, useSyncExternalStore } from 'react'
import { rotation } from './rotation'

const CALM = '(prefers-reduced-motion: reduce)'

/** Whether the visitor asked for less motion; the built pages stand still until they know. */
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

/**
 * The shown one of `count`, moving on every `intervalMs`. It stands still for who prefers reduced motion, while
 * the pointer rests on what `hover` is spread over or the keyboard's focus is in what `focus` is spread over,
 * and while the visitor paused it.
 */
export function useRotation(count: number, intervalMs: number) {
  const [index, setIndex] = useState(0)
  const [turns] = useState(() => rotation(count, intervalMs, setIndex))
  const [paused, setPaused] = useState(false)
  const [hovered, setHovered] = useState(false)
  const [focused, setFocused] = useState(false)
  const calm = useCalm()
  const holds = paused || hovered || focused || calm

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
      // A clicked tab keeps the focus: only the keyboard's holds.
      onFocus: ({ target }: FocusEvent) => setFocused(target.matches(':focus-visible')),
      onBlur: () => setFocused(false),
    },
  }
}
