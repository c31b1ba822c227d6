import { useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { focus, pageHeading } from '../lib/focus'

/** The history entry with which the document was loaded. */
let loadedKey: string | undefined

/**
 * Moves the focus to the heading of a new page and announces its title to screen readers, because
 * a browser does so for a page load and a router does not.
 */
export function usePageChange(announce: (title: string) => void): void {
  const { key, hash } = useLocation()
  useEffect(() => onNewTitle(announce), [announce])
  useEffect(() => {
    // The browser has done so for the page that was loaded.
    const isLoaded = loadedKey === undefined || loadedKey === key
    loadedKey ??= key
    if (isLoaded) return
    announce(document.title)
    return focusHeading(hash ? document.getElementById(hash.slice(1)) : null)
  }, [key, hash, announce])
}

/**
 * Announces each title that comes while a page stays: an outcome has its own. Returns how to stop.
 */
function onNewTitle(announce: (title: string) => void): () => void {
  let { title } = document
  const watch = new MutationObserver(() => {
    if (document.title === title) return
    title = document.title
    announce(title)
  })
  watch.observe(document.head, { childList: true, characterData: true, subtree: true })
  return () => watch.disconnect()
}

/**
 * Focuses the anchor or the heading. A page that still loads has none: until it comes the focus
 * waits on the content, and moves on only if it is still there. Returns how to stop the wait.
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
