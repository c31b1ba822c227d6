import type { ComponentType } from 'react'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import type { Campaign } from '../catalog/catalog'
import { notFoundPage, type Route } from '../routes/routes'
import { brand } from '../texts/brand'
import { late, plansNeedScript } from '../texts/site'
import { Head } from './head'
import { LateBar, LatePage } from './late'
import { Site } from './site'

export { notFoundPage, routes } from '../routes/routes'
export { isShared } from './head'
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

/** What stands after the root of the account pages' shell, and of a prerendered page. */
export const lateParts = {
  shell: () => renderToStaticMarkup(<LatePage />),
  prerendered: () => renderToStaticMarkup(<LateBar plans={false} />),
  withPlans: () => renderToStaticMarkup(<LateBar plans />),
}
