import { descriptions } from '../texts/descriptions'
import type { Route } from './routes'

/** What search engines and shared links read. Only the build writes it: they read each page as it was built. */
export function Head({ route }: { route: Route | null }) {
  if (!route || route.noindex) return <meta name="robots" content="noindex" />
  const description = descriptions[route.path]
  return (
    <>
      <meta name="description" content={description} />
      <link rel="canonical" href={route.path} />
      <meta property="og:title" content={route.title} />
      <meta property="og:description" content={description} />
      <meta property="og:type" content="website" />
      <meta property="og:locale" content="pt_BR" />
    </>
  )
}
