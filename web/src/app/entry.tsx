import { StrictMode, startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router-dom'
import '../styles/font.css'
import '../styles/tokens.css'
import '../styles/base.css'
import { addIcons, removeLateParts } from '../frame/built-page'
import { reportPageErrors } from '../frame/page-errors'
import { createAppRouter } from './router'

async function start() {
  const root = document.getElementById('root')
  if (!root) throw new Error('the page has no #root')
  const router = await createAppRouter()
  const app = <RouterProvider router={router} />
  // An error that a boundary caught counts as an error of the page too.
  const options = { onCaughtError: window.reportError }
  // If its module failed to load, the router renders another page than the prerendered one.
  if ('static' in root.dataset && router.state.initialized) {
    // In slices: a slow phone answers a touch between them.
    startTransition(() => void hydrateRoot(root, app, options))
    dispatchEvent(new Event('listening'))
    addIcons()
    return
  }
  removeLateParts()
  createRoot(root, options).render(import.meta.env.DEV ? <StrictMode>{app}</StrictMode> : app)
}

reportPageErrors()
void start()
