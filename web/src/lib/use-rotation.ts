import { type FocusEvent, type PointerEvent, useCallback, useEffect, useState } from 'react'
import { useMedia } from './use-media'

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
 * The shown one of `count`, moving on every `intervalMs`. It stops while out of sight, with reduced
 * motion, while the pointer rests on what `hover` is spread over or the keyboard's focus is in what
 * `focus` is spread over, and while the visitor paused it.
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
  // Nothing moves in a prerendered page.
  const calm = useMedia('(prefers-reduced-motion: reduce)', true)
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

/**
 * Calls `show` with 1, 2, … and 0 again, `intervalMs` apart, while it runs. It begins on hold:
 * `run` moves on from then on, `hold` stops it, and `go` shows an index now and restarts
 * the wait.
 */
export function rotation(count: number, intervalMs: number, show: (index: number) => void) {
  let current = 0
  let running = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const wait = () => {
    clearTimeout(timer)
    if (running) timer = setTimeout(() => go((current + 1) % count), intervalMs)
  }
  const go = (index: number) => {
    current = index
    show(index)
    wait()
  }
  const set = (value: boolean) => () => {
    running = value
    wait()
  }
  return { go, run: set(true), hold: set(false) }
}
