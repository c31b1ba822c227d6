import type { ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import { createMemoryRouter, RouterProvider } from 'react-router-dom'
import type { Route } from '../routes/routes'
import { App } from './app'

const pages = import.meta.glob<{ default: ComponentType }>(
  ['./pages/login.tsx', './pages/sign-up.tsx', './pages/upsell.tsx'],
  { eager: true },
)

/**
 * The HTML of a page of the app as it is without storage, session and answers: what every visitor
 * for whom it is built meets first, and entry.tsx hydrates.
 */
export function renderFrame({ page, path }: Route): string {
  const Component = pages[`./pages/${page}.tsx`]?.default
  if (!Component) throw new Error(`src/app/prerender.tsx has no pages/${page}.tsx`)
  const router = createMemoryRouter([{ element: <App />, children: [{ path, Component }] }], {
    initialEntries: [path],
  })
  return renderToString(<RouterProvider router={router} />)
}
