import { useEffect } from 'react'
import { CampaignProvider } from '../attribution/campaign'
import type { Campaign } from '../catalog/catalog'
import type { Elements } from '../lib/elements'
import { ToastProvider, useShownToasts } from '../lib/toasts'
import { useLate } from '../lib/use-late'
import { SessionProvider, useSession } from '../session/session'
import { ErrorBoundary } from './error-boundary'

const loadVisit = async () => (await import('./visit')).default
const loadToasts = async () => (await import('../ui/toast')).default

/**
 * The providers of every page of both areas. `campaign`: the state that the page was prerendered
 * with.
 */
export function Providers({ campaign, children }: { campaign: Campaign | null; children: Elements }) {
  return (
    <CampaignProvider built={campaign}>
      <SessionProvider>
        <ToastProvider>
          <ErrorBoundary quiet>
            <AfterHydration />
          </ErrorBoundary>
          {children}
          <ErrorBoundary quiet>
            <Toasts />
          </ErrorBoundary>
        </ToastProvider>
      </SessionProvider>
    </CampaignProvider>
  )
}

/** Loaded once the page answers. */
function AfterHydration() {
  const Visit = useLate(loadVisit, true)
  useEffect(() => {
    if (!('name' in HTMLDetailsElement.prototype)) import('../ui/one-open').catch(() => undefined)
  }, [])
  return Visit && <Visit />
}

/**
 * Most visits see no toast: their region comes with the first one, or ahead of it where the session
 * was asked for, since the toast may say that the connection is gone.
 */
function Toasts() {
  const toasts = useShownToasts()
  const { kind } = useSession().session
  const ToastRegion = useLate(loadToasts, toasts[0] ? toasts : kind !== 'loading')
  return ToastRegion && <ToastRegion toasts={toasts} />
}
