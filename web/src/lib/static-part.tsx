import { type ComponentType, lazy, type MouseEvent, memo, useState } from 'react'
import { follow } from './go'
import { useWaking } from './use-waking'

/**
 * A part of a page without behaviour (drawings, questions and answers): the build writes its HTML, and a page
 * that was loaded with it keeps it as it is, so that its code and texts are not sent a second time as script.
 * Only when the page is reached from another one is the code loaded, and the page waits for it: it appears whole,
 * and an anchor in it stays where it was found. Inside, plain links, which the part follows, and no hooks.
 */
export function staticPart(load: () => Promise<{ default: ComponentType }>, className?: string) {
  const Content = lazy(load)
  return memo(function StaticPart() {
    const hydrating = useWaking()
    const [kept] = useState(hydrating && !import.meta.env.SSR)
    // While hydrating, React leaves what is inside an element with raw HTML untouched, and later sees no change.
    const content = kept
      ? { suppressHydrationWarning: true, dangerouslySetInnerHTML: NOTHING }
      : { children: <Content /> }
    // biome-ignore lint/a11y: the links inside are what is pressed
    return <div className={className} onClick={followInside} {...content} />
  })
}

const NOTHING = { __html: '' }

function followInside(event: MouseEvent<HTMLElement>): void {
  const link = (event.target as Element).closest('a')
  // The browser finds the way to an anchor.
  if (link?.origin === location.origin && !link.hash) follow(event, link)
}
