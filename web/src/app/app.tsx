import { useEffect, useState } from 'react'
import { type Campaign, CampaignProvider } from '../attribution/campaign'
import { ErrorBoundary } from '../frame/error-boundary'
import { Layout } from '../frame/layout'
import { provideScreens } from '../lib/go'
import { navigate, usePathname } from '../lib/location'
import { paths } from '../lib/paths'
import { ToastProvider, useShownToasts } from '../lib/toasts'
import { useLate } from '../lib/use-late'
import { routeOf } from '../routes/routes'
import { SessionProvider, useSession } from '../session/session'
import { forgetLostPages, PageSlot, titleOf } from './page-slot'

provideScreens((address) => routeOf(address) !== null)

/** The whole site. */
export function App({ campaign }: { campaign: Campaign | null }) {
  return (
    <CampaignProvider built={campaign}>
      <SessionProvider>
        <ToastProvider>
          <SessionGone />
          <ErrorBoundary quiet>
            <AfterWaking />
          </ErrorBoundary>
          <Screen />
          <ErrorBoundary quiet>
            <Toasts />
          </ErrorBoundary>
        </ToastProvider>
      </SessionProvider>
    </CampaignProvider>
  )
}

const loadVisit = async () => (await import('./visit')).default
const loadToasts = async () => (await import('../ui/toast')).default

/** What goes along with every page comes once it answers. */
function AfterWaking() {
  const Visit = useLate(loadVisit, true)
  useEffect(() => {
    if (!('name' in HTMLDetailsElement.prototype)) import('../ui/one-open').catch(() => undefined)
  }, [])
  return Visit && <Visit />
}

/**
 * Most visits see no toast: their region comes with the first one, or ahead of it where the session was asked for,
 * since what there is to say may be that the connection is gone.
 */
function Toasts() {
  const toasts = useShownToasts()
  const { kind } = useSession().session
  const ToastRegion = useLate(loadToasts, toasts[0] ? toasts : kind !== 'loading')
  return ToastRegion && <ToastRegion toasts={toasts} />
}

/** The screen of the address. Addresses have no parameters, so the route table alone finds it. */
function Screen() {
  const route = routeOf(usePathname())
  const [announced, setAnnounced] = useState('')
  return (
    <>
      <Layout frame={route?.frame ?? 'site'} title={titleOf(route)}>
        <ErrorBoundary key={route?.path ?? '*'} onBroken={forgetLostPages}>
          <PageSlot route={route} announce={setAnnounced} />
        </ErrorBoundary>
      </Layout>
      {/* It stands while pages come and go: only what changes in it is read out. */}
      <p className="visually-hidden" aria-live="polite">
        {announced}
      </p>
    </>
  )
}

/** A call that finds the session gone leads to /login once, from whichever page it was made. */
function SessionGone() {
  const { session } = useSession()
  const end = session.kind === 'none' ? session.ended : undefined
  useEffect(() => {
    if (end?.by === 'gone') navigate(paths.login, { replace: true })
  }, [end])
  return null
}
