import { type ComponentType, lazy, type RefObject, Suspense, useEffect, useState } from 'react'

/** A page without its drawings is worth more than an error. */
const Drawings = lazy<ComponentType<{ section: HTMLElement }>>(() =>
  import('./late-art').catch(() => ({ default: () => null })),
)

/**
 * Draws into the places of a section (drawing-place.tsx) once it is a screen away: with their styles the drawings were
 * 1.8 KB of the home page's 15.8, packed, which fits the first window of a connection without them.
 */
export function LateDrawings({ within }: { within: RefObject<HTMLElement | null> }) {
  const [near, setNear] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: '100%' },
    )
    if (within.current) observer.observe(within.current)
    return () => observer.disconnect()
  }, [within])
  return <Suspense>{near && within.current && <Drawings section={within.current} />}</Suspense>
}
