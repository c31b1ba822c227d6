import { aliases, type Path, paths } from '../lib/paths'
import { notFoundTitle, titles } from '../texts/meta'

/** One screen of the site. */
export interface Route {
  path: Path
  /** Other addresses of the same screen. */
  aliases: readonly string[]
  /** File in `pages` of the area, without its ending. */
  page: string
  title: string
  /**
   * `site`: opened by a page load. `app`: opened by its router; no search engine lists it.
   */
  area: 'site' | 'app'
  /**
   * For whom the build renders it: a page of the site for all, and some of the app as the frame
   * that a signed-out visitor or the chooser of a plan meets. Everybody else waits for the scripts.
   */
  builtFor: 'all' | 'visitor' | 'chooser' | 'nobody'
  /** Built once with Black November and once without. */
  byCampaign: boolean
  /** `user`: without a session, to /login. */
  guard: 'open' | 'user'
  /**
   * `payment`: a header that leads nobody away from paying. `bare`: without the shared header and
   * footer.
   */
  frame: 'site' | 'payment' | 'bare'
  /**
   * `account`: wider by pictures of any https address, for a profile's photo. `checkout`: by the
   * provider's.
   */
  csp: 'default' | 'account' | 'checkout'
}

type Choices = Partial<Pick<Route, 'builtFor' | 'byCampaign' | 'guard' | 'frame' | 'csp'>>

function route(path: Path, page: string, area: Route['area'], choices: Choices): Route {
  return {
    path,
    page,
    title: titles[path],
    area,
    aliases: (aliases as Partial<Record<Path, readonly string[]>>)[path] ?? [],
    builtFor: area === 'site' ? 'all' : 'nobody',
    byCampaign: false,
    guard: 'open',
    frame: 'site',
    csp: area === 'app' ? 'account' : 'default',
    ...choices,
  }
}

const site = (path: Path, page: string, choices: Choices = {}) => route(path, page, 'site', choices)
const app = (path: Path, page: string, choices: Choices = {}) => route(path, page, 'app', choices)

/**
 * THE route table: a screen exists when it has a row here.
 * The build exports it for the gateway (`dist/routes.json`, see vite/site/route-table.ts).
 */
export const routes: readonly Route[] = [
  site(paths.home, 'home', { byCampaign: true }),
  site(paths.plans, 'plans', { byCampaign: true }),
  site(paths.promoPlans, 'promo-plans', { byCampaign: true }),
  site(paths.promoLanding, 'promo-landing', { byCampaign: true }),
  site(paths.solutions, 'solutions'),
  site(paths.about, 'about'),
  site(paths.terms, 'terms'),
  site(paths.privacy, 'privacy'),
  site(paths.bio, 'bio', { frame: 'bare' }),
  app(paths.login, 'login', { builtFor: 'visitor' }),
  app(paths.signUp, 'sign-up', { builtFor: 'visitor' }),
  app(paths.forgotPassword, 'forgot-password'),
  app(paths.resetPassword, 'reset-password'),
  app(paths.confirmEmail, 'confirm-email'),
  app(paths.upsell, 'upsell', { builtFor: 'chooser' }),
  app(paths.checkout, 'checkout', { csp: 'checkout', frame: 'payment' }),
  app(paths.checkoutReturn, 'checkout-return', { frame: 'payment' }),
  app(paths.confirmPayment, 'confirm-payment', { csp: 'checkout', frame: 'payment' }),
  app(paths.account, 'account', { guard: 'user' }),
  app(paths.paymentSuccess, 'payment-success', { guard: 'user' }),
  app(paths.paymentCanceled, 'payment-canceled', { guard: 'user' }),
  app(paths.paymentAwaited, 'payment-awaited', { guard: 'user' }),
  app(paths.accountConfirmation, 'account-confirmation', { guard: 'user' }),
  app(paths.accountDeleted, 'account-deleted'),
]

/** Answers every address that no route has, with status 404. */
export const notFoundPage = 'not-found'

/** The route that answers an address, whatever its query, hash or trailing slash. */
export function routeOf(address: string): Route | null {
  const pathname = address.replace(/[?#].*$/, '').replace(/(.)\/+$/, '$1')
  return routes.find(({ path, aliases }) => path === pathname || aliases.includes(pathname)) ?? null
}

export const titleOf = (route: Route | null): string => route?.title ?? notFoundTitle
