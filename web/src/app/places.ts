/**
 * Where the window stood in each entry of the history. The browser remembers it too, but looks for the place as soon
 * as the address changes, when the page that is gone back to may still wait for a part of itself.
 */
const places = new Map<string, number>()
let shown: string | undefined

/** Notes where the shown entry is left. Returns what stops it. */
export function notePlaces(): () => void {
  const note = () => {
    // The history is at another entry as soon as one leaves; what moves until that one is shown is not this one's.
    if (shown && history.state && shown === nameOf(history.state)) places.set(shown, scrollY)
  }
  addEventListener('scroll', note, { passive: true })
  addEventListener('popstate', stopGliding)
  return () => {
    removeEventListener('scroll', note)
    removeEventListener('popstate', stopGliding)
  }
}

/**
 * The browser's own way to the place it remembers would be a glide (styles/base.css), still under way when the page
 * that it belongs to comes. The way to an anchor, an entry without a name yet, stays one.
 */
function stopGliding({ state }: PopStateEvent) {
  if (state) document.documentElement.style.scrollBehavior = 'auto'
}

function glideAgain() {
  document.documentElement.style.removeProperty('scroll-behavior')
}

/** Enters what the history is at: whether something stood here before it, and where it was left if it was here before. */
export function enter(): { first: boolean; again: boolean; place: number | undefined } {
  const before = shown
  requestAnimationFrame(glideAgain)
  // An anchor that the browser followed by itself has no name yet.
  if (!history.state) history.replaceState({ idx: null, key: Math.random().toString(36) }, '')
  shown = nameOf(history.state)
  const place = places.get(shown)
  if (place === undefined) places.set(shown, scrollY)
  return { first: !before, again: before === shown, place }
}

/** The router names all entries but the one that it began with. */
const nameOf = ({ key }: { key?: string }) => key ?? 'first'
