import { useEffect, useLayoutEffect } from 'react'
import { focus, pageHeading } from '../lib/focus'
import { isTravel, useEntryKey, useHash, usePathname } from '../lib/location'
import { enter, notePlaces, standAt } from './places'

let lastPath: string | undefined

/**
 * What a browser does for a page load and a router does not: scroll to the top (or to the anchor, or to where an
 * entry of the history was left), move the focus to the heading, and `announce` the title to screen readers.
 */
export function RouteEffects({ announce }: { announce: (title: string) => void }) {
  const pathname = usePathname()
  const hash = useHash()
  const key = useEntryKey()

  useEffect(tellReady, [])
  useEffect(() => onNewTitle(announce), [announce])
  useEffect(notePlaces, [])
  // Before it is painted: a page that is gone back to is first seen where it was left.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever is navigated to, it is an arrival
  useLayoutEffect(() => {
    const { first, again, place } = enter()
    if (again) return
    const stays = pathname === lastPath
    lastPath = pathname
    const target = hash ? anchorOf(hash) : null
    if (first) {
      // A shell page renders after the browser looked for the anchor or the place; in a built page it was there.
      if (place === undefined) target?.scrollIntoView()
      else if (!isBuilt() || scrollY === 0) standAt(place)
      return
    }
    // Within a page the way to an anchor is seen; a new page begins where it begins.
    const behavior = stays ? 'auto' : 'instant'
    if (isTravel()) {
      // To an anchor the browser has found the way by itself.
      if (place !== undefined) standAt(place)
      else if (!target) scrollTo({ top: 0, behavior: 'instant' })
    } else if (target) target.scrollIntoView({ behavior })
    else scrollTo({ top: 0, behavior })
    announce(document.title)
    return focusHeading(target)
  }, [key, hash, pathname, announce])

  return null
}

/** The anchor that a hash names; anybody may have written one that cannot be read. */
function anchorOf(hash: string): HTMLElement | null {
  try {
    return document.getElementById(decodeURIComponent(hash.slice(1)))
  } catch {
    return null
  }
}

/** Tells each title that comes while a page stands: an outcome has its own, once it is known. Returns what stops it. */
function onNewTitle(tell: (title: string) => void): () => void {
  let { title } = document
  const watch = new MutationObserver(() => {
    if (document.title === title) return
    title = document.title
    tell(title)
  })
  watch.observe(document.head, { childList: true, characterData: true, subtree: true })
  return () => watch.disconnect()
}

/** Whether the page that wakes up was prerendered. */
function isBuilt(): boolean {
  return document.getElementById('root')?.dataset.static !== undefined
}

/** Tells the prerendered page that it answers now (scripts/starter.js). */
function tellReady() {
  const root = document.getElementById('root')
  if (!root || !isBuilt()) return
  delete root.dataset.static
  dispatchEvent(new Event('ready'))
}

/**
 * Focuses the anchor or the heading. A page that still loads has none: until it comes the focus waits on the
 * content, and moves on only if nobody moved it in between. Returns what stops the wait.
 */
function focusHeading(target: HTMLElement | null): (() => void) | undefined {
  const heading = () => target ?? pageHeading()
  const content = document.querySelector<HTMLElement>('#root main')
  if (focus(heading()) || !content) return
  focus(content)
  const wait = new MutationObserver(() => {
    const { activeElement } = document
    const moved = activeElement !== content && activeElement !== document.body
    if (moved || focus(heading())) wait.disconnect()
  })
  wait.observe(content, { childList: true, subtree: true })
  return () => wait.disconnect()
}
