import { renderToStaticMarkup } from 'react-dom/server'
import { prerender } from 'react-dom/static'
import { App } from '../app/app'
import { preloadPage } from '../app/page-slot'
import type { Campaign } from '../attribution/campaign'
import { BuiltAddress } from '../lib/location'
import { type Route, routeOf } from '../routes/routes'
import { brand } from '../texts/brand'
import { late, plansNeedScript } from '../texts/site'
import { Head } from './head'
import { LateBar, LatePage } from './late'

export { notFoundPage, routes } from '../routes/routes'
export { isShared } from './head'
export { jsonLd } from './json-ld'
export { absolute, ORIGIN } from './origin'

/** Stands over a prerendered page whose plans cannot be chosen without scripts. */
export const plansNotice = `${plansNeedScript.text} ${plansNeedScript.ask} <a href="mailto:${brand.email}">${brand.email}</a> · <a href="${brand.links.help_center}">${plansNeedScript.help}</a>`

/** Over each page; old-browser.js shows it. */
export const oldBrowserNotice = late.oldBrowser

/** The HTML of one address, for the build. An address without a route is the not-found page. */
export async function render(address: string, campaign: Campaign | null): Promise<string> {
  const route = routeOf(address)
  await preloadPage(route)
  const { prelude } = await prerender(
    <BuiltAddress value={address}>
      <Head route={route} />
      <App campaign={campaign} />
    </BuiltAddress>,
    // Without it React moves big boundaries into an inline script, which the CSP refuses.
    { progressiveChunkSize: Number.POSITIVE_INFINITY },
  )
  return await new Response(prelude).text()
}

/** The title of a client-rendered page until it has its own, and what shared links read of it. */
export const shell = {
  title: brand.name,
  head: (route: Route | null) => renderToStaticMarkup(<Head route={route} />),
}

/** What stands after the root of the account pages' shell, and of a prerendered page. */
export const lateParts = {
  shell: () => renderToStaticMarkup(<LatePage />),
  prerendered: () => renderToStaticMarkup(<LateBar plans={false} />),
  withPlans: () => renderToStaticMarkup(<LateBar plans />),
}
