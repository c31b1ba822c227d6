import { StrictMode, startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import '../styles/font.css'
import '../styles/tokens.css'
import '../styles/base.css'
import './site.css'
import type { ComponentType } from 'react'
import type { Campaign } from '../catalog/catalog'
import { addIcons } from '../frame/built-page'
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
