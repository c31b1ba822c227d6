import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router-dom'
import '../styles/font.css'
import '../styles/tokens.css'
import '../styles/base.css'
import { reportPageErrors } from '../frame/page-errors'
import { createAppRouter } from './router'

async function start() {
  const root = document.getElementById('root')
  if (!root) throw new Error('the page has no #root')
  const router = await createAppRouter()
  // Written by the build for a page without scripts, its title too (site/entry-server.tsx).
  for (const late of document.querySelectorAll('[class^="late"]')) late.remove()
  const app = <RouterProvider router={router} />
  // An error that a boundary caught counts as an error of the page too.
  createRoot(root, { onCaughtError: window.reportError }).render(
    import.meta.env.DEV ? <StrictMode>{app}</StrictMode> : app,
  )
}

reportPageErrors()
void start()
