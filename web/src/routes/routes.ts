import type { ComponentType } from 'react'
import { aliases, type Path, paths } from '../lib/paths'
import { titles } from '../texts/meta'

/** One screen of the site. */
export interface Route {
  path: Path
  /** Other addresses of the same screen. */
  aliases: readonly string[]
  /** File in `pages` of `src/site` or `src/app`, without its ending. */
  page: string
  title: string
  /** `prerendered`: its own HTML file. `shell`: rendered in the browser from `app.html`; no search engine lists it. */
  render: 'prerendered' | 'shell'
  /** Built once with Black November and once without. */
  byCampaign: boolean
  /** `user`: without a session, to /login. */
  guard: 'open' | 'user'
  /** `payment`: a header that leads nobody away from paying. `bare`: without the shared header and footer. */
  frame: 'site' | 'payment' | 'bare'
  /** `account`: wider by pictures of any https address, for a profile's photo. `checkout`: by the provider's. */
  csp: 'default' | 'account' | 'checkout'
}

type Choices = Partial<Pick<Route, 'byCampaign' | 'guard' | 'frame' | 'csp'>>

function route(path: Path, page: string, render: Route['render'], choices: Choices): Route {
  return {
    path,
    page,
    title: titles[path],
    render,
    aliases: (aliases as Partial<Record<Path, readonly string[]>>)[path] ?? [],
    byCampaign: false,
    guard: 'open',
    frame: 'site',
    csp: render === 'shell' ? 'account' : 'default',
    ...choices,
  }
}

const prerendered = (path: Path, page: string, choices: Choices = {}) =>
  route(path, page, 'prerendered', choices)
const shell = (path: Path, page: string, choices: Choices = {}) => route(path, page, 'shell', choices)

/**
 * THE route table: a screen exists when it has a row here.
 * The build exports it for the gateway (`dist/routes.json`, see vite/site/route-table.ts).
 */
export const routes: readonly Route[] = [
  prerendered(paths.home, 'home', { byCampaign: true }),
  prerendered(paths.plans, 'plans', { byCampaign: true }),
  prerendered(paths.promoPlans, 'promo-plans', { byCampaign: true }),
  prerendered(paths.promoLanding, 'promo-landing', { byCampaign: true }),
  prerendered(paths.solutions, 'solutions'),
  prerendered(paths.about, 'about'),
  prerendered(paths.terms, 'terms'),
  prerendered(paths.privacy, 'privacy'),
  prerendered(paths.bio, 'bio', { frame: 'bare' }),
  shell(paths.login, 'login'),
  shell(paths.signUp, 'sign-up'),
  shell(paths.forgotPassword, 'forgot-password'),
  shell(paths.resetPassword, 'reset-password'),
  shell(paths.confirmEmail, 'confirm-email'),
  shell(paths.upsell, 'upsell'),
  shell(paths.checkout, 'checkout', { csp: 'checkout', frame: 'payment' }),
  shell(paths.checkoutReturn, 'checkout-return', { frame: 'payment' }),
  shell(paths.confirmPayment, 'confirm-payment', { csp: 'checkout', frame: 'payment' }),
  shell(paths.account, 'account', { guard: 'user' }),
  shell(paths.paymentSuccess, 'payment-success', { guard: 'user' }),
  shell(paths.paymentCanceled, 'payment-canceled', { guard: 'user' }),
  shell(paths.paymentAwaited, 'payment-awaited', { guard: 'user' }),
  shell(paths.accountConfirmation, 'account-confirmation', { guard: 'user' }),
  shell(paths.accountDeleted, 'account-deleted'),
]

/** Answers every address that no route has, with status 404. */
export const notFoundPage = 'not-found'

type Module = { default: ComponentType }
const modules = import.meta.glob<Module>('../{site,app}/pages/*.tsx')

/** Loads the file of a page. */
export async function loadPage(page: string): Promise<ComponentType> {
  const load = modules[`../site/pages/${page}.tsx`] ?? modules[`../app/pages/${page}.tsx`]
  if (!load) throw new Error(`there is no pages/${page}.tsx`)
  return (await load()).default
}

/** The route that answers an address, whatever its query, hash or trailing slash. */
export function routeOf(address: string): Route | null {
  const pathname = address.replace(/[?#].*$/, '').replace(/(.)\/+$/, '$1')
  return routes.find(({ path, aliases }) => path === pathname || aliases.includes(pathname)) ?? null
}
