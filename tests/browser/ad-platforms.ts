/**
 * Advertising platforms in tests: the consent bar, requests to other origins, and the events that
 * the sandbox received.
 */
import type { BrowserContext, Page } from '@playwright/test'
import { payByCard, waitForCheckoutSession } from './payment-frame'
import { type Person, type Product, signUp, takeOffer } from './product'

export const consentBar = (page: Page) => page.getByRole('region', { name: 'Sua privacidade' })

/** Records requests of all pages to other origins. */
export function recordExternalRequests(context: BrowserContext, own: string): string[] {
  const seen: string[] = []
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(own) && !url.startsWith('data:')) seen.push(url)
  })
  return seen
}

type PixelEvent = {
  platform: string
  id: string
  call: string
  name: string
  event_id: string
  data: Record<string, unknown>
}
type ServerEvent = {
  version: string
  pixel: string
  repeats: number
  event: Record<string, unknown> & { event_id: string; event_time: number }
}

const isAbout = (id: string, subjects: string[]) => subjects.some((subject) => id.endsWith(`:${subject}`))

/**
 * Events that the platforms' page scripts sent about these subjects (a uid, a checkout session),
 * sorted by platform and id.
 */
export async function readPixelEvents(product: Product, subjects: string[]): Promise<PixelEvent[]> {
  const sent = (await (await fetch(`${product.sandbox}/pixel/events.json`)).json()) as (PixelEvent & {
    at: string
  })[]
  const about = sent.filter(({ event_id }) => isAbout(event_id, subjects)).map(({ at: _, ...event }) => event)
  return about.sort((one, other) => (one.platform + one.event_id < other.platform + other.event_id ? -1 : 1))
}

/** Events that our server sent about these subjects, as received, sorted by id. */
export async function readServerEvents(product: Product, subjects: string[]): Promise<ServerEvent[]> {
  const counted = (await (await fetch(`${product.sandbox}/graph/events.json`)).json()) as (ServerEvent & {
    received_at: string
  })[]
  const about = counted
    .filter(({ event }) => isAbout(event.event_id, subjects))
    .map(({ received_at: _, ...one }) => one)
  return about.sort((one, other) => (one.event.event_id < other.event.event_id ? -1 : 1))
}

export const readUid = (page: Page) => page.evaluate(() => localStorage.getItem('uid') ?? '')

/** Chooses a plan, signs up by the form and waits for the offers. Returns the uid. */
export async function signUpForTrial(page: Page, who: Person): Promise<string> {
  await page
    .getByRole('region', { name: 'Elite', exact: true })
    .getByRole('button', { name: /Testar grátis/ })
    .click()
  await page.waitForURL('**/cadastro')
  await page.getByLabel('WhatsApp (opcional)').fill('11987654321')
  await signUp(page, who)
  await page.waitForURL('**/upsell')
  return readUid(page)
}

/** Buys by card from the offers. Returns the checkout session. */
export async function buyByCard(page: Page, open: (page: Page) => Promise<Page>): Promise<string> {
  const tab = await open(page)
  const session = await waitForCheckoutSession(tab)
  await payByCard(tab, '4242424242424242')
  await page.waitForURL('**/payment-success**')
  return session
}

export const openAnnualOffer = (page: Page) => takeOffer(page, 'Anual')

/** Opens the checkout of the monthly plan. */
export async function openMonthlyCheckout(page: Page): Promise<Page> {
  const tab = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  return tab
}
