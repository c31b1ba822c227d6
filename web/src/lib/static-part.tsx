import { type ComponentType, lazy, memo, Suspense, useState, useSyncExternalStore } from 'react'

const never = () => () => undefined

/**
 * A part of a page without behaviour (drawings, questions and answers): the build writes its HTML, and a page
 * that was loaded with it keeps it as it is, so that its code and texts are not sent a second time as script.
 * Only when the page is reached from another one is the code loaded. Inside, plain links and no hooks.
 */
export function staticPart(load: () => Promise<{ default: ComponentType }>, className?: string) {
  const Content = lazy(load)
  return memo(function StaticPart() {
    const hydrating = useSyncExternalStore(
      never,
      () => false,
      () => true,
    )
    const [kept] = useState(hydrating && !import.meta.env.SSR)
    // While hydrating, React leaves what is inside an element with raw HTML untouched, and later sees no change.
    // biome-ignore lint/security/noDangerouslySetInnerHtml: nothing is set, what stands there is kept
    if (kept) return <div className={className} suppressHydrationWarning dangerouslySetInnerHTML={NOTHING} />
    return (
      <div className={className}>
        <Suspense>
          <Content />
        </Suspense>
      </div>
    )
  })
}

const NOTHING = { __html: '' }
