import { type ComponentType, lazy, memo, useState } from 'react'
import { useWaking } from './use-waking'

/**
 * A part of a page without behaviour (drawings, questions and answers): the build writes its HTML, and a page
 * that was loaded with it keeps it as it is, so that its code and texts are not sent a second time as script.
 * Only when the page is reached from another one is the code loaded, and the page waits for it: it appears whole,
 * and an anchor in it stays where it was found. Inside, plain links and no hooks.
 */
export function staticPart(load: () => Promise<{ default: ComponentType }>, className?: string) {
  const Content = lazy(load)
  return memo(function StaticPart() {
    const hydrating = useWaking()
    const [kept] = useState(hydrating && !import.meta.env.SSR)
    // While hydrating, React leaves what is inside an element with raw HTML untouched, and later sees no change.
    // biome-ignore lint/security/noDangerouslySetInnerHtml: nothing is set, what stands there is kept
    if (kept) return <div className={className} suppressHydrationWarning dangerouslySetInnerHTML={NOTHING} />
    return (
      <div className={className}>
        <Content />
      </div>
    )
  })
}

const NOTHING = { __html: '' }
