import type { ComponentType } from 'react'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import type { Campaign } from '../catalog/catalog'
import { type Path, paths } from '../lib/paths'
import { notFoundPage, type Route } from '../routes/routes'
import { brand } from '../texts/brand'
import { descriptions } from '../texts/descriptions'
import { shareImage } from '../texts/share'
import { late, plansNeedScript } from '../texts/site'
import { ButtonLink } from '../ui/button'
import { Notice } from '../ui/notice'
import { Sieve } from '../ui/sieve'
import { PageLoading } from '../ui/spinner'
import { absolute } from './origin'
import { Site } from './site'

export { notFoundPage, routes } from '../routes/routes'
export { jsonLd } from './json-ld'
export { absolute, ORIGIN } from './origin'

const pages = import.meta.glob<{ default: ComponentType }>('./pages/*.tsx', { eager: true })

/** Stands over a prerendered page whose plans cannot be chosen without scripts. */
export const plansNotice = `${plansNeedScript.text} ${plansNeedScript.ask} <a href="mailto:${brand.email}">${brand.email}</a> · <a href="${brand.links.help_center}">${plansNeedScript.help}</a>`

/** Over each page; old-browser.js shows it. */
export const oldBrowserNotice = late.oldBrowser

/** The HTML of a page of the site; without a route of the not-found page. */
export function render(route: Route | null, campaign: Campaign | null): string {
  const name = route?.page ?? notFoundPage
  const page = pages[`./pages/${name}.tsx`]
  if (!page) throw new Error(`there is no src/site/pages/${name}.tsx`)
  return renderToString(
    <>
      <Head route={route} />
      <Site route={route} Page={page.default} campaign={campaign} />
    </>,
  )
}

/** The title of a client-rendered page until it has its own, and what shared links read of it. */
export const shell = {
  title: brand.name,
  head: (route: Route | null) => renderToStaticMarkup(<Head route={route} />),
}

/** Elements after the root of the app's shell and of a prerendered page. */
export const lateParts = {
  shell: () => renderToStaticMarkup(<LatePage />),
  frame: () => renderToStaticMarkup(<LateFrame />),
  prerendered: () => renderToStaticMarkup(<LateBar plans={false} />),
  withPlans: () => renderToStaticMarkup(<LateBar plans />),
}

/** Whether a shared link to a screen has a description. */
export function isShared(path: Path): boolean {
  return path in descriptions
}

/**
 * Metadata for search engines and shared links. Only the build writes it, because they read the
 * built page.
 */
function Head({ route }: { route: Route | null }) {
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

/**
 * Beside the empty root of a client-rendered page: that it is coming, and after a while how to go
 * on. Only the build renders it, and styles/base.css shows it, since the scripts are what may be
 * missing.
 */
function LatePage() {
  return (
    <>
      <LateWait />
      <main className="late late-page">
        <Notice art={<Sieve width={180} />} title={late.title} text={late.text}>
          <ReloadLinks />
        </Notice>
      </main>
    </>
  )
}

/** The same on a page with a frame, for the visitors to whom the frame is not shown. */
function LateFrame() {
  return (
    <>
      <LateWait />
      <LateBar plans={false} />
    </>
  )
}

function LateWait() {
  return (
    <>
      <noscript className="late-instead">
        <main className="late-page">
          <Notice art={<Sieve width={180} />} title={late.off} text={late.offText}>
            <ReloadLinks />
          </Notice>
        </main>
      </noscript>
      <div className="late-wait">
        <PageLoading />
      </div>
    </>
  )
}

function ReloadLinks() {
  return (
    <>
      {/* The empty address is the page's own, query and all. */}
      <ButtonLink href="">{late.reload}</ButtonLink>
      <ButtonLink href={paths.home} variant="secondary">
        {late.home}
      </ButtonLink>
    </>
  )
}

/**
 * Under a prerendered page, which reads well without its scripts but does nothing; `plans` there
 * are chosen by buttons.
 */
function LateBar({ plans }: { plans: boolean }) {
  return (
    <aside className="late late-bar" aria-label={late.title}>
      <span>{plans ? late.plansBar : late.bar}</span>
      <ButtonLink href="" size="sm" variant="light">
        {late.reload}
      </ButtonLink>
      {plans && (
        <p>
          <span>{plansNeedScript.ask}</span> <a href={`mailto:${brand.email}`}>{brand.email}</a>{' '}
          <span>·</span> <a href={brand.links.help_center}>{plansNeedScript.help}</a>
        </p>
      )}
    </aside>
  )
}
