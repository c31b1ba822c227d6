/** Advertising platforms as a visitor meets them: the question, what leaves the browser, and what reached the sandbox's stand-ins. */
import type { BrowserContext, Page } from '@playwright/test'
import { openedSession, payByCard } from './payment-frame'
import { type Person, type Product, signUp, takeOffer } from './product'

export const banner = (page: Page) => page.getByRole('region', { name: 'Sua privacidade' })

/** Requests of any page of the browser that go to another origin. */
export function abroad(context: BrowserContext, own: string): string[] {
  const seen: string[] = []
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(own) && !url.startsWith('data:')) seen.push(url)
  })
  return seen
}

type Told = {
  platform: string
  id: string
  call: string
  name: string
  event_id: string
  data: Record<string, unknown>
}
type Counted = {
  version: string
  pixel: string
  repeats: number
  event: Record<string, unknown> & { event_id: string; event_time: number }
}

const isAbout = (id: string, subjects: string[]) => subjects.some((subject) => id.endsWith(`:${subject}`))

/** What the platforms' scripts told from pages about these subjects (a uid, a checkout's session), by platform and id. */
export async function toldByPages(product: Product, subjects: string[]): Promise<Told[]> {
  const told = (await (await fetch(`${product.sandbox}/pixel/events.json`)).json()) as (Told & {
    at: string
  })[]
  const about = told.filter(({ event_id }) => isAbout(event_id, subjects)).map(({ at: _, ...event }) => event)
  return about.sort((one, other) => (one.platform + one.event_id < other.platform + other.event_id ? -1 : 1))
}

/** What the server told the platform about these subjects, as it was received, by id. */
export async function toldByServer(product: Product, subjects: string[]): Promise<Counted[]> {
  const counted = (await (await fetch(`${product.sandbox}/graph/events.json`)).json()) as (Counted & {
    received_at: string
  })[]
  const about = counted
    .filter(({ event }) => isAbout(event.event_id, subjects))
    .map(({ received_at: _, ...one }) => one)
  return about.sort((one, other) => (one.event.event_id < other.event.event_id ? -1 : 1))
}

export const uidOf = (page: Page) => page.evaluate(() => localStorage.getItem('uid') ?? '')

/** From the plans to the offers, by the form; answers the new account. */
export async function becomesAccount(page: Page, who: Person): Promise<string> {
  await page
    .getByRole('region', { name: 'Elite', exact: true })
    .getByRole('button', { name: /Testar grátis/ })
    .click()
  await page.waitForURL('**/cadastro')
  await page.getByLabel('WhatsApp (opcional)').fill('11987654321')
  await signUp(page, who)
  await page.waitForURL('**/upsell')
  return uidOf(page)
}

/** Buys by card what the offers show; answers the checkout's session. */
export async function buysByCard(page: Page, open: (page: Page) => Promise<Page>): Promise<string> {
  const tab = await open(page)
  const session = await openedSession(tab)
  await payByCard(tab, '4242424242424242')
  await page.waitForURL('**/payment-success**')
  return session
}

export const anOffer = (page: Page) => takeOffer(page, 'Anual')

/** The plan as it was chosen, month by month. */
export async function noOffer(page: Page): Promise<Page> {
  const tab = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  return tab
}
