import { type ComponentType, useEffect, useSyncExternalStore } from 'react'
import type { Campaign } from '../catalog/catalog'
import { Ready } from '../frame/built-page'
import { ErrorBoundary } from '../frame/error-boundary'
import { Layout } from '../frame/layout'
import { Providers } from '../frame/providers'
import { AddressContext } from '../lib/area'
import { paths } from '../lib/paths'
import { type Route, titleOf } from '../routes/routes'
import { useSession } from '../session/session'

/**
 * A page of the site, as the build renders it and the browser hydrates it. A pure function of its
 * properties: what depends on the visitor comes after hydration.
 */
export function Site({
  route,
  Page,
  campaign,
}: {
  /** Null for the not-found page. */
  route: Route | null
  Page: ComponentType
  campaign: Campaign | null
}) {
  // A script may change the query: `removePromoCode` fires popstate then.
  const search = useSyncExternalStore(
    onSearchChange,
    () => location.search,
    () => '',
  )
  return (
    <AddressContext value={{ pathname: route?.path ?? '', search }}>
      <Providers campaign={campaign}>
        <AfterSession />
        <Layout frame={route?.frame ?? 'site'}>
          <title>{titleOf(route)}</title>
          <ErrorBoundary>
            <Page />
            <Ready />
          </ErrorBoundary>
        </Layout>
      </Providers>
    </AddressContext>
  )
}

function onSearchChange(listener: () => void): () => void {
  addEventListener('popstate', listener)
  return () => removeEventListener('popstate', listener)
}

/** A call that finds the session gone leads to /login once. */
function AfterSession() {
  const { session } = useSession()
  const isGone = session.kind === 'none' && session.ended?.by === 'gone'
  useEffect(() => {
    if (isGone) location.replace(paths.login)
  }, [isGone])
  return null
}
