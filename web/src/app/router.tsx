import type { ComponentType } from 'react'
import {
  createBrowserRouter,
  createPath,
  Link,
  type LoaderFunctionArgs,
  type RouteObject,
  redirectDocument,
  useNavigation,
} from 'react-router-dom'
import { accountQuery } from '../api/account'
import { queryClient } from '../api/query-client'
import { BrokenPage } from '../frame/error-boundary'
import { LinkContext, type LinkProps } from '../lib/area'
import { read } from '../lib/browser-storage'
import { paths } from '../lib/paths'
import { type Route, routeOf, routes } from '../routes/routes'
import { askSessionEarly } from '../session/session'
import { PageLoading } from '../ui/spinner'
import { App } from './app'

type Module = { default: ComponentType }
const modules = import.meta.glob<Module>('./pages/*.tsx')

/** Without a fallback of its own a route does not show that its module got lost. */
const edges = { HydrateFallback: PageLoading, ErrorBoundary: BrokenPage }

/** The policy of the document, which a navigation within the app keeps. */
const documentCsp = routeOf(location.pathname)?.csp

/** Pages of the site, and pages under another policy, are loaded as documents. */
const isInApp = (route: Route | null): route is Route => route?.area === 'app' && route.csp === documentCsp

/**
 * A link to a page of the app, whose script is loaded as soon as a pointer or the focus is on it.
 */
function AppLink({ to, state, ...rest }: LinkProps) {
  const route = routeOf(to)
  const { location: next } = useNavigation()
  if (!isInApp(route)) return <a {...rest} href={to} />
  const prefetch = () => void load(route).catch(() => undefined)
  const isPending = next !== undefined && routeOf(next.pathname) === route
  return (
    <Link
      {...rest}
      to={to}
      state={state}
      data-followed={isPending || undefined}
      onPointerEnter={prefetch}
      onFocus={prefetch}
    />
  )
}

let router: ReturnType<typeof createBrowserRouter> | undefined

/** With the module of the open page, so that its first render waits for nothing. */
export async function createAppRouter() {
  const open = routeOf(location.pathname)
  if (open) readEarly(open)
  const first = open && (await loadPage(open).catch((cause: unknown) => void reportError(cause)))
  const pages = routes.filter(isInApp).flatMap((route) => {
    const content = route === open && first ? first : { lazy: () => loadPage(route) }
    return [route.path, ...route.aliases].map((path): RouteObject => ({ path, ...edges, ...content }))
  })
  // Without a key, scroll positions of all loaded documents would be one.
  if (!history.state?.key) history.replaceState({ ...history.state, key: Math.random().toString(36) }, '')
  router = createBrowserRouter([
    {
      element: (
        <LinkContext value={AppLink}>
          <App />
        </LinkContext>
      ),
      children: [...pages, { path: '*', loader: loadDocument }],
    },
  ])
  return router
}

/** Begins the reads of the open page together with its module. */
function readEarly({ guard, path }: Route): void {
  const uid = read('uid')
  if (guard === 'open' || !uid) return
  askSessionEarly()
  if (path === paths.account) void queryClient.query(accountQuery(uid)).catch(() => undefined)
}

async function load({ page }: Route): Promise<Module> {
  const module = modules[`./pages/${page}.tsx`]
  if (!module) throw new Error(`there is no pages/${page}.tsx`)
  return module()
}

/**
 * After a deploy the files of the old pages are gone, and a fresh document has the new ones. A page
 * that a reload did not bring, or that cannot load now, is an error.
 */
async function loadPage(route: Route): Promise<{ Component: ComponentType }> {
  try {
    return { Component: (await load(route)).default }
  } catch (cause) {
    const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    if (document?.type === 'reload' || !navigator.onLine) throw cause
    const next = router?.state.navigation.location
    if (next) location.assign(createPath(next))
    else location.reload()
    return new Promise(() => undefined)
  }
}

function loadDocument({ request }: LoaderFunctionArgs) {
  return redirectDocument(createPath(new URL(request.url)))
}
