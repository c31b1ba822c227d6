import { lazy, Suspense, useEffect, useState } from 'react'
import { Route, Routes, useNavigate } from 'react-router-dom'
import { type Campaign, CampaignProvider } from '../lib/campaign'
import { paths } from '../lib/paths'
import { SessionProvider, useSession } from '../lib/session'
import { ToastProvider, useShownToasts } from '../lib/toasts'
import { ErrorBoundary } from './error-boundary'
import { Layout } from './layout/layout'
import { PageSlot } from './page-slot'
import { routes } from './routes'

/** The whole site; the router around it differs between the browser and the build. */
export function App({ campaign }: { campaign: Campaign | null }) {
  return (
    <CampaignProvider built={campaign}>
      <SessionProvider>
        <ToastProvider>
          <SessionGone />
          <Routes>
            {(['site', 'bare'] as const).map((frame) => (
              <Route key={frame} element={<Layout frame={frame} />}>
                {routes
                  .filter((route) => route.frame === frame)
                  .flatMap((route) =>
                    [route.path, ...route.aliases].map((address) => (
                      <Route key={address} path={address} element={slot(route)} />
                    )),
                  )}
                {frame === 'site' && <Route path="*" element={slot(null)} />}
              </Route>
            ))}
          </Routes>
          <Toasts />
        </ToastProvider>
      </SessionProvider>
    </CampaignProvider>
  )
}

const ToastRegion = lazy(() => import('../ui/toast'))

/** Most visits see no toast: its code comes with the first one. */
function Toasts() {
  const toasts = useShownToasts()
  const [needed, setNeeded] = useState(false)
  if (toasts.length > 0 && !needed) setNeeded(true)
  return (
    needed && (
      <Suspense>
        <ToastRegion toasts={toasts} />
      </Suspense>
    )
  )
}

/** A call that finds the session gone leads to /login, from whichever page it was made (design section 10). */
function SessionGone() {
  const { session } = useSession()
  const navigate = useNavigate()
  const gone = session.kind === 'none' && session.ended?.by === 'gone'
  useEffect(() => {
    if (gone) void navigate(paths.login, { replace: true })
  }, [gone, navigate])
  return null
}

function slot(route: (typeof routes)[number] | null) {
  const key = route?.path ?? '*'
  return (
    <ErrorBoundary key={key}>
      <PageSlot route={route} />
    </ErrorBoundary>
  )
}
