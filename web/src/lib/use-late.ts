import { type ComponentType, useEffect, useState } from 'react'

/**
 * A part that is loaded once it is `needed`. A part that got lost is loaded again whenever that
 * changes. Not `lazy`: a fallback would hold up the page's hydration.
 */
export function useLate<Props>(
  load: () => Promise<ComponentType<Props>>,
  needed: unknown,
): ComponentType<Props> | undefined {
  const [Part, setPart] = useState<ComponentType<Props>>()
  useEffect(() => {
    if (!needed || Part) return
    // A page that is opened with it asks for its own files first.
    afterPaint(() => {
      load().then(
        (part) => setPart(() => part),
        () => undefined,
      )
    })
  }, [load, needed, Part])
  return Part
}

/**
 * Runs a job that changes nothing on the page once the next frame has been painted, so that a tap
 * shows its effect first. A hidden page paints nothing: there it runs at once.
 */
export function afterPaint(job: () => void): void {
  if (document.hidden) job()
  else requestAnimationFrame(() => setTimeout(job))
}
