import { TransportProvider } from '@connectrpc/connect-query'
import { QueryClientProvider, useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { Navigate, Outlet, ScrollRestoration, useLocation, useNavigate } from 'react-router-dom'
import { queryClient } from '../api/query-client'
import { transport } from '../api/transport'
import { Ready } from '../frame/built-page'
import { Layout } from '../frame/layout'
import { Providers } from '../frame/providers'
import { AddressContext } from '../lib/area'
import type { Elements } from '../lib/elements'
import { paths } from '../lib/paths'
import { routeOf, titleOf } from '../routes/routes'
import { useConfirmedSession, useSession } from '../session/session'
import { site } from '../texts/site'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'
import { PageLoading } from '../ui/spinner'
import { usePageChange } from './use-page-change'

/** The providers, layout and guards of every page of the app. */
export function App() {
  return (
    <AddressContext value={useLocation()}>
      <TransportProvider transport={transport}>
        <QueryClientProvider client={queryClient}>
          <Providers campaign={null}>
            <SessionGone />
            <Page />
            <ScrollRestoration />
            <Ready />
          </Providers>
        </QueryClientProvider>
      </TransportProvider>
    </AddressContext>
  )
}

function Page() {
  const route = routeOf(useLocation().pathname)
  const [announced, setAnnounced] = useState('')
  const page = (
    <>
      <Outlet />
      <PageChange announce={setAnnounced} />
    </>
  )
  return (
    <>
      <Layout frame={route?.frame ?? 'site'}>
        <title>{titleOf(route)}</title>
        {route?.guard === 'user' ? <RequireUser>{page}</RequireUser> : page}
      </Layout>
      {/* It stays while pages change: screen readers read what changes in it. */}
      <p className="visually-hidden" aria-live="polite">
        {announced}
      </p>
    </>
  )
}

/** An effect of the page itself, which a guard may hold back. */
function PageChange({ announce }: { announce: (title: string) => void }) {
  usePageChange(announce)
  return null
}

/** A call that finds the session gone leads to /login once, from whichever page it was made. */
function SessionGone() {
  const { session } = useSession()
  const navigate = useNavigate()
  const end = session.kind === 'none' ? session.ended : undefined
  const leave = useEffectEvent(() => void navigate(paths.login, { replace: true }))
  useEffect(() => {
    if (end?.by === 'gone') leave()
  }, [end])
  return null
}

/** A spinner while the session is read; without a session /login takes the page's place. */
function RequireUser({ children }: { children: Elements }) {
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

/** Without a connection the session is unknown: the visitor stays signed in. */
function Unheard() {
  const { recheck } = useSession()
  const { isPending, mutate: retry } = useMutation({ mutationFn: recheck })
  return (
    <Notice title={site.unheard.title} text={site.unheard.text}>
      <Button busy={isPending} onClick={() => retry()}>
        {site.unheard.again}
      </Button>
    </Notice>
  )
}
