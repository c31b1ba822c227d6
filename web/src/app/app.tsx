import { lazy, Suspense, useState } from 'react'
import { Route, Routes } from 'react-router-dom'
import { type Campaign, CampaignProvider } from '../lib/campaign'
import { SessionProvider } from '../lib/session'
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

function slot(route: (typeof routes)[number] | null) {
  const key = route?.path ?? '*'
  return (
    <ErrorBoundary key={key}>
      <PageSlot route={route} />
    </ErrorBoundary>
  )
}
