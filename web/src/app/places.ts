import { readTab, writeTab } from '../lib/browser-storage'
import { entryKey, nameEntry } from '../lib/location'

/**
 * Where the window stood in each entry of the history, over a reload too. The browser remembers it as well, but goes
 * there as soon as the address changes, with a glide, when the page may still wait for what makes it long enough.
 */
const places = new Map<string, number>(stored())
let shown: string | undefined
/** Ends the way to a place that is not reached yet. */
let giveUp: (() => void) | undefined

/** Entries that are remembered. */
const MOST = 50
const BY_HAND = ['wheel', 'touchmove', 'keydown', 'pointerdown']

/** Notes where the shown entry is left. Returns what stops it. */
export function notePlaces(): () => void {
  const note = () => {
    // The history is at another entry as soon as one leaves; what moves until that one is shown is not this one's.
    if (!giveUp && shown && shown === entryKey()) places.set(shown, scrollY)
  }
  // What the build wrote stands before any script: there the browser goes back to the place by itself.
  const leave = () => {
    writeTab('places', JSON.stringify([...places].slice(-MOST)))
    history.scrollRestoration = 'auto'
  }
  const come = () => {
    history.scrollRestoration = 'manual'
  }
  come()
  const listening = new AbortController()
  const { signal } = listening
  addEventListener('scroll', note, { passive: true, signal })
  addEventListener('pagehide', leave, { signal })
  addEventListener('pageshow', come, { signal })
  return () => listening.abort()
}

/** Enters what the history is at: whether something stood here before it, and where it was left if it was here before. */
export function enter(): { first: boolean; again: boolean; place: number | undefined } {
  const before = shown
  shown = nameEntry()
  const again = before === shown
  if (!again) giveUp?.()
  const place = places.get(shown)
  if (place === undefined) places.set(shown, scrollY)
  return { first: !before, again, place }
}

/** Goes where an entry was left, as soon as the page is long enough, unless somebody moves it meanwhile. */
export function standAt(place: number) {
  const go = () => {
    scrollTo({ top: place, behavior: 'instant' })
    return Math.abs(scrollY - place) < 2
  }
  if (go()) return
  const stop = () => {
    giveUp = undefined
    growth.disconnect()
    for (const name of BY_HAND) removeEventListener(name, stop)
  }
  const growth = new ResizeObserver(() => {
    if (go()) stop()
  })
  growth.observe(document.body)
  for (const name of BY_HAND) addEventListener(name, stop, { passive: true })
  giveUp = stop
}

function stored(): [string, number][] {
  try {
    return JSON.parse(readTab('places') ?? '[]')
  } catch {
    return []
  }
}
