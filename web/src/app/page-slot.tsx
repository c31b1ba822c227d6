import { type ComponentType, type ReactNode, use, useState } from 'react'
import { afterPaint } from '../lib/after-paint'
import { paths } from '../lib/paths'
import { loadPage, notFoundPage, type Route } from '../routes/routes'
import { useConfirmedSession, useSession } from '../session/session'
import { notFoundTitle } from '../texts/meta'
import { site } from '../texts/site'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'
import { Redirect } from '../ui/redirect'
import { PageLoading } from '../ui/spinner'
import { RouteEffects } from './route-effects'

const ready = new Map<string, ComponentType>()
const loading = new Map<string, Promise<ComponentType>>()
const opening = new Map<string, Promise<ComponentType>>()

/** Loads a page once, which from then on renders without waiting. */
function makeReady(page: string): Promise<ComponentType> {
  const begun = loading.get(page)
  if (begun) return begun
  const load = loadPage(page).then((component) => {
    ready.set(page, component)
    return component
  })
  loading.set(page, load)
  load.catch(() => loading.delete(page))
  return load
}

/** Loads a page before the first render, which then is synchronous: no fallback, no mismatch. */
export async function preloadPage(route: Route | null): Promise<void> {
  await makeReady(route?.page ?? notFoundPage).catch(reloadOnce)
}

/** Loads a page that the visitor is about to open. A page that does not come is loaded again when it is opened. */
export function prefetchPage({ page }: Route): void {
  if (!ready.has(page)) makeReady(page).catch(() => undefined)
}

function usePage(page: string): ComponentType {
  const loaded = ready.get(page)
  if (loaded) return loaded
  let promise = opening.get(page)
  if (!promise) {
    // After the paint, because starting a load takes 5 ms of a slow phone's tap.
    promise = new Promise<void>(afterPaint).then(() => makeReady(page)).catch(reloadOnce)
    opening.set(page, promise)
  }
  return use(promise)
}

/**
 * After a deploy the files of the old pages are gone, and a fresh load gets the new ones. A page that a fresh load
 * did not bring, or that nobody can bring now, is an error.
 */
function reloadOnce(cause: unknown): Promise<never> {
  const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (load?.type === 'reload' || !navigator.onLine) throw cause
  location.reload()
  return new Promise(() => undefined)
}

/** A page that was lost on its way is asked for again by the next who wants it. */
export function forgetLostPages() {
  opening.clear()
}

function Page({ page }: { page: string }) {
  const Component = usePage(page)
  return <Component />
}

/** A spinner while the session is asked, /login in place when there is none. */
function RequireUser({ children }: { children: ReactNode }) {
  const session = useConfirmedSession()
  if (session.kind === 'user') return children
  if (session.kind === 'none' && session.unheard) return <Unheard />
  return (
    <>
      <PageLoading />
      {session.kind === 'none' && <Redirect to={session.ended?.to ?? paths.login} />}
    </>
  )
}

/** A lost connection says nothing about who one is: it signs nobody out. */
function Unheard() {
  const { recheck } = useSession()
  const [asking, setAsking] = useState(false)
  const again = () => {
    setAsking(true)
    void recheck().then(() => setAsking(false))
  }
  return (
    <Notice title={site.unheard.title} text={site.unheard.text}>
      <Button busy={asking} onClick={again}>
        {site.unheard.again}
      </Button>
    </Notice>
  )
}

export const titleOf = (route: Route | null): string => route?.title ?? notFoundTitle

/** One page in its place: head, guard, content, and what a change of page asks for. */
export function PageSlot({ route, announce }: { route: Route | null; announce: (title: string) => void }) {
  const page = (
    <>
      <Page page={route?.page ?? notFoundPage} />
      <RouteEffects announce={announce} />
    </>
  )
  return (
    <>
      <title>{titleOf(route)}</title>
      {route?.guard === 'user' ? <RequireUser>{page}</RequireUser> : page}
    </>
  )
}
