import { type ComponentType, type ReactNode, use, useState } from 'react'
import { Navigate } from 'react-router-dom'
import { paths } from '../lib/paths'
import { useConfirmedSession, useSession } from '../lib/session'
import { notFoundTitle } from '../texts/meta'
import { site } from '../texts/site'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'
import { PageLoading } from '../ui/spinner'
import { RouteEffects } from './route-effects'
import { loadPage, notFoundPage, type Route } from './routes'

const ready = new Map<string, ComponentType>()
const coming = new Map<string, Promise<ComponentType>>()

/** Loads a page before the first render, which then is synchronous: no fallback, no mismatch (stack.md 2). */
export async function preloadPage(route: Route | null): Promise<void> {
  const page = route?.page ?? notFoundPage
  ready.set(page, await loadPage(page))
}

function usePage(page: string): ComponentType {
  const loaded = ready.get(page)
  if (loaded) return loaded
  let promise = coming.get(page)
  if (!promise) {
    promise = loadPage(page)
    promise.then(
      (component) => ready.set(page, component),
      () => undefined,
    )
    coming.set(page, promise)
  }
  return use(promise)
}

/** A page that was lost on its way is asked for again by the next who wants it. */
export function forgetLostPages() {
  coming.clear()
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
      {session.kind === 'none' && <Navigate to={session.ended?.to ?? paths.login} replace />}
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

/** One page in its place: head, guard, content, and what a change of page asks for. */
export function PageSlot({ route }: { route: Route | null }) {
  const title = route?.title ?? notFoundTitle
  const page = (
    <>
      <Page page={route?.page ?? notFoundPage} />
      <RouteEffects />
    </>
  )
  return (
    <>
      <title>{title}</title>
      {route?.guard === 'user' ? <RequireUser>{page}</RequireUser> : page}
    </>
  )
}
