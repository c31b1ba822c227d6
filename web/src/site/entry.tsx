import { StrictMode, startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import '../styles/font.css'
import '../styles/tokens.css'
import '../styles/base.css'
import './site.css'
import type { ComponentType } from 'react'
import type { Campaign } from '../catalog/catalog'
import { reportPageErrors } from '../frame/page-errors'
import { notFoundPage, routeOf } from '../routes/routes'
import { Site } from './site'

const pages = import.meta.glob<{ default: ComponentType }>('./pages/*.tsx')

async function start() {
  const root = document.getElementById('root')
  if (!root) throw new Error('the page has no #root')
  const route = routeOf(location.pathname)
  const load = pages[`./pages/${route?.page ?? notFoundPage}.tsx`]
  if (!load) throw new Error(`the site has no ${location.pathname}`)
  // An error leaves the prerendered page as it is, which is worth more than an apology.
  const { default: Page } = await load()
  const campaign = (root.dataset.campaign as Campaign | undefined) ?? null
  const site = <Site route={route} Page={Page} campaign={campaign} />
  // Written by the build for a page without scripts (entry-server.tsx).
  for (const late of document.querySelectorAll('[class^="late"]')) late.remove()
  // An error that a boundary caught counts as an error of the page too.
  const options = { onCaughtError: window.reportError }
  if (import.meta.env.DEV) createRoot(root, options).render(<StrictMode>{site}</StrictMode>)
  // In slices: a slow phone answers a touch between them.
  else startTransition(() => void hydrateRoot(root, site, options))
  dispatchEvent(new Event('listening'))
  addIcons()
}

reportPageErrors()
void start()

/**
 * Puts the icons and the manifest of a prerendered page in the place of an empty icon. They stand
 * in a noscript element, because each would delay the first paint by a connection. Without scripts
 * they count as they stand there.
 */
function addIcons(): void {
  const icons = document.getElementById('icons')?.textContent ?? ''
  if (icons) document.querySelector('link[rel=icon]')?.remove()
  for (const [, attributes = ''] of icons.matchAll(/<link ([^>]+)>/g)) {
    const link = document.createElement('link')
    for (const [, name = '', value = ''] of attributes.matchAll(/(\w+)="([^"]*)"/g))
      link.setAttribute(name, value)
    document.head.append(link)
  }
}
