import { readTab, writeTab } from '../lib/browser-storage'

/** The first error of a visit goes to our own server, which counts and logs it. */
export function reportPageErrors() {
  addEventListener('error', ({ error, message, filename }) => report(error ?? message, filename))
  addEventListener('unhandledrejection', ({ reason }) => report(reason))
}

/** An error is ours if a script of ours is in its stack, and no extension is. */
function report(cause: unknown, file = '') {
  const error = `${cause}\n${(cause as Error | null)?.stack}\n${file}`
  const isOurs = error.includes(`${location.origin}/assets/`) && !error.includes('-extension:')
  if (!isOurs || !navigator.onLine || readTab('errorSent')) return
  writeTab('errorSent', '1')
  // The file of this code has a new name with every change of the site's scripts.
  const release = import.meta.url.replace(/.*\//, '')
  const body = JSON.stringify({ release, path: location.pathname, error: error.slice(0, 2500) })
  navigator.sendBeacon('/api/client-errors', new Blob([body], { type: 'application/json' }))
}
