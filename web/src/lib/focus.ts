/**
 * Moves the focus without moving the page, also to what gets none by Tab. Answers whether there was
 * something to focus.
 */
export function focus(element: HTMLElement | null): boolean {
  if (!element) return false
  if (!element.hasAttribute('tabindex')) element.tabIndex = -1
  element.focus({ preventScroll: true })
  return true
}

/** The heading of the page that is open. */
export function pageHeading(): HTMLElement | null {
  return document.querySelector<HTMLElement>('#root h1')
}
