import type { Path } from '../lib/paths'
import type { Route } from '../routes/routes'
import { brand } from '../texts/brand'
import { descriptions } from '../texts/descriptions'
import { shareImage } from '../texts/share'
import { absolute } from './origin'

/** Whether links to a screen show what it is. */
export function isShared(path: Path): boolean {
  return path in descriptions
}

/** What search engines and shared links read. Only the build writes it: they read each page as it was built. */
export function Head({ route }: { route: Route | null }) {
  const description = route && descriptions[route.path]
  return (
    <>
      {route?.area !== 'site' && <meta name="robots" content="noindex" />}
      {route?.area === 'site' && <link rel="canonical" href={absolute(route.path)} />}
      {description && <Shared route={route} description={description} />}
    </>
  )
}

/** Also of a page of the account that somebody may be sent to. */
function Shared({ route, description }: { route: Route; description: string }) {
  return (
    <>
      <meta name="description" content={description} />
      <meta property="og:url" content={absolute(route.path)} />
      <meta property="og:title" content={route.title} />
      <meta property="og:description" content={description} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={brand.name} />
      <meta property="og:locale" content="pt_BR" />
      <meta property="og:image" content={absolute(shareImage.path)} />
      <meta property="og:image:width" content={String(shareImage.width)} />
      <meta property="og:image:height" content={String(shareImage.height)} />
      <meta property="og:image:alt" content={shareImage.alt} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  )
}
