import { type RefObject, useEffect, useRef } from 'react'
import { useSeemsSignedIn } from '../../../session/session'

/**
 * Loads the scripts of /cadastro once a plan can be chosen, for a visitor without an account: the
 * choice leads there. `sign-up-files.json` is written by the build (vite/site/pages.ts).
 */
export function useSignUpAhead(): RefObject<HTMLDivElement | null> {
  const plans = useRef<HTMLDivElement>(null)
  const signedIn = useSeemsSignedIn()
  useEffect(() => {
    if (!plans.current || signedIn) return
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      watch.disconnect()
      // The page is as good without it.
      loadAhead().catch(() => undefined)
    })
    watch.observe(plans.current)
    return () => watch.disconnect()
  }, [signedIn])
  return plans
}

async function loadAhead(): Promise<void> {
  const answer = await fetch('/sign-up-files.json', { priority: 'low' })
  const files: string[] = await answer.json()
  for (const href of files) document.head.append(prefetch(href))
}

function prefetch(href: string): HTMLLinkElement {
  const link = document.createElement('link')
  link.rel = 'prefetch'
  link.as = 'script'
  link.crossOrigin = ''
  link.href = href
  return link
}
