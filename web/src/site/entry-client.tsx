import { StrictMode, startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import '../styles/font.css'
import '../styles/tokens.css'
import '../styles/base.css'
import { App } from '../app/app'
import { preloadPage } from '../app/page-slot'
import type { Campaign } from '../attribution/campaign'
import { reportPageErrors } from '../frame/page-errors'
import { routeOf } from '../routes/routes'
import { addIcons } from './icons'

const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]

/** What a boundary caught counts as an error of the page too. */
const options = { onCaughtError: window.reportError }

async function start() {
  const root = document.getElementById('root')
  if (!root) throw new Error('the page has no #root')
  const campaign = (root.dataset.campaign as Campaign | undefined) ?? null
  const site = <App campaign={campaign} />
  // Renders and runs effects twice: what is not repeatable shows itself to whoever works at it.
  const app = import.meta.env.DEV ? <StrictMode>{site}</StrictMode> : site
  const route = routeOf(location.pathname)
  const loaded = await preloadPage(route).then(
    () => true,
    (cause) => window.reportError?.(cause),
  )
  // Whoever went on in the history before the page woke up is at another one than the build wrote here.
  if (loaded && navigation && routeOf(new URL(navigation.name).pathname) !== route) {
    root.replaceChildren()
    delete root.dataset.static
  }
  const built = root.firstElementChild !== null
  // A prerendered page is worth more than an error.
  if (built && !loaded) return
  // What the build wrote for a page that gets no scripts, its title too (late.tsx).
  for (const late of document.querySelectorAll('[class^="late"]')) late.remove()
  // In slices: a slow phone answers a touch between them.
  if (built) startTransition(() => void hydrateRoot(root, app, options))
  else createRoot(root, options).render(app)
  dispatchEvent(new Event('listening'))
  addIcons()
}

reportPageErrors()
void start()
