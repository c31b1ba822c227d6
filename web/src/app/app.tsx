import { Route, Routes } from 'react-router-dom'
import { type Campaign, CampaignProvider } from '../lib/campaign'
import { SessionProvider } from '../lib/session'
import { ToastProvider } from '../lib/toasts'
import { ToastRegion } from '../ui/toast'
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
          <ToastRegion />
        </ToastProvider>
      </SessionProvider>
    </CampaignProvider>
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
