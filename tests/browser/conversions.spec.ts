/**
 * Complete event bodies of real purchases at the platforms. The reviewed bodies are in
 * snapshots/conversions-*.json. To change them, run `npx playwright test conversions
 * --update-snapshots` and review the result before the commit.
 */
import { createHash } from 'node:crypto'
import type { Page } from '@playwright/test'
import {
  buyByCard,
  consentBar,
  openAnnualOffer,
  openMonthlyCheckout,
  readPixelEvents,
  readServerEvents,
  readUid,
  recordExternalRequests,
  signUpForTrial,
} from './ad-platforms'
import { issueBoleto, waitForCheckoutSession } from './payment-frame'
import { arriveAtUpsell, expect, newPerson, type Product, productPerTest, takeOffer, test } from './product'

test.use({ isConsentAnswered: false })

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * The events about a purchase from page and server, as text. Values that differ in each run are
 * checked and replaced by a name.
 */
async function readBodies(
  page: Page,
  product: Product,
  about: { uid: string; email: string; session: string },
): Promise<string> {
  const subjects = [about.uid, about.session]
  const [pages, server] = [
    await readPixelEvents(product, subjects),
    await readServerEvents(product, subjects),
  ]
  const { now } = (await (await fetch(`${product.sandbox}/clock`)).json()) as { now: string }
  for (const { event } of server) {
    const ago = new Date(now).getTime() / 1000 - event.event_time
    expect(ago, event.event_id).toBeGreaterThanOrEqual(-1)
    expect(ago, event.event_id).toBeLessThan(120)
  }
  const cookies = await page.context().cookies()
  const names: [string | undefined, string][] = [
    [product.url, '{site}'],
    [sha256(about.uid), '{sha256 of uid}'],
    [sha256(about.email), '{sha256 of email}'],
    [about.uid, '{uid}'],
    [about.session, '{session}'],
    [await page.evaluate(() => navigator.userAgent), '{browser}'],
    [cookies.find(({ name }) => name === '_fbp')?.value, '{_fbp}'],
  ]
  let text = JSON.stringify({ pages, server }, null, 2)
  for (const [value, name] of names) if (value) text = text.replaceAll(value, name)
  return `${text.replace(/"event_time": \d+/g, '"event_time": "{now}"').replace(/fb\.1\.\d{13}\.IwAR/g, 'fb.1.{click}.IwAR')}\n`
}

test('with consent, each event from sign-up to card purchase reaches the platforms with this body', async ({
  page,
  product,
}) => {
  const ana = newPerson()
  await page.goto('/planos?utm_source=instagram&utm_campaign=verao&fbclid=IwAR2F4-dbP0&gclid=Cj0KCQ')
  await consentBar(page).getByRole('button', { name: 'Aceitar' }).click()

  const uid = await signUpForTrial(page, ana)
  // From here on the pixel has its cookie, and the server's events contain it.
  await expect.poll(async () => (await readPixelEvents(product, [uid])).length).toBe(2)
  const session = await buyByCard(page, openAnnualOffer)

  await expect.poll(async () => (await readPixelEvents(product, [uid, session])).length).toBe(6)
  await expect.poll(async () => (await readServerEvents(product, [uid, session])).length).toBe(5)
  const bodies = await readBodies(page, product, { uid, session, email: ana.email })
  expect(bodies).toMatchSnapshot('conversions-card.json')
  // Personal data is sent by the server only, and only hashed.
  expect(bodies).not.toMatch(/@|Ana|Souza|98765/)
})

test('with consent, a boleto reaches the platforms with this body, and its payment only once paid', async ({
  page,
  product,
}) => {
  await page.goto('/planos')
  await consentBar(page).getByRole('button', { name: 'Aceitar' }).click()
  const { email } = await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  const [uid, session] = [await readUid(page), await waitForCheckoutSession(tab)]
  await expect.poll(async () => (await readPixelEvents(product, [session])).length).toBe(2)

  await issueBoleto(tab)
  await page.waitForURL('**/payment-awaited**')
  await expect
    .poll(async () => (await readServerEvents(product, [session])).map(({ event }) => event.event_name))
    .toEqual(['checkout_finalizado', 'checkout_iniciado'])

  await tab.getByRole('button', { name: 'Simular pagamento' }).click()
  await page.waitForURL('**/payment-success**', { timeout: 30_000 })
  await expect.poll(async () => (await readServerEvents(product, [uid, session])).length).toBe(4)
  expect(await readBodies(page, product, { uid, session, email })).toMatchSnapshot('conversions-boleto.json')
})

/** These tests advance the clock, so each has its own product. */
const isolatedTest = test.extend<{ product: Product }>(productPerTest())

async function advanceClock(product: Product, seconds: number) {
  const body = JSON.stringify({ advance_seconds: seconds, keep_sessions: true })
  const answer = await fetch(`${product.sandbox}/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(answer.status).toBe(200)
}

/** The last error of each conversion job in this state. */
async function readConversionErrors(product: Product, state: 'waiting' | 'done' | 'parked') {
  const jobs = await product.runAdmin('jobs', 'list', '--kind', 'conversion', '--state', state)
  return jobs.map(({ last_error }) => last_error)
}

isolatedTest(
  'without consent no third party receives anything until the renewal, and anonymous counts go on',
  async ({ page, context, product }) => {
    const seen = recordExternalRequests(context, product.url)
    await page.goto('/planos?utm_source=instagram&utm_campaign=verao&fbclid=IwAR2F4-dbP0&gclid=Cj0KCQ')
    await consentBar(page).getByRole('button', { name: 'Recusar' }).click()
    await expect(consentBar(page)).toHaveCount(0)
    await signUpForTrial(page, newPerson())
    await buyByCard(page, openMonthlyCheckout)
    // The server dropped both events of the payment. Their jobs are deleted before the renewal.
    await expect
      .poll(() => readConversionErrors(product, 'done'))
      .toEqual(['dropped: no consent', 'dropped: no consent'])
    await advanceClock(product, 31 * 86_400)
    const invoices = async () => {
      const answer = await fetch(`${product.sandbox}/v1/invoices`, {
        headers: { authorization: 'Bearer sk_test_garimpo' },
      })
      const { data } = (await answer.json()) as { data: { status: string; billing_reason: string }[] }
      return data.map(({ status, billing_reason }) => `${billing_reason} ${status}`)
    }
    await expect.poll(invoices).toEqual(['subscription_cycle paid', 'subscription_create paid'])

    await expect.poll(() => readConversionErrors(product, 'done')).toEqual(['dropped: no consent'])
    expect([
      ...(await readConversionErrors(product, 'waiting')),
      ...(await readConversionErrors(product, 'parked')),
    ]).toEqual([])
    for (const list of ['/graph/events.json', '/pixel/events.json'])
      expect(await (await fetch(product.sandbox + list)).json(), list).toEqual([])
    // The payment provider's frame is not advertising.
    const provider = ['/v3', '/assets/', '/v1'].map((path) => product.sandbox + path)
    expect(seen.filter((url) => !provider.some((own) => url.startsWith(own)))).toEqual([])
    const kept = await page.evaluate(() => [
      localStorage.getItem('adClicks'),
      sessionStorage.getItem('adClicks'),
      document.cookie,
    ])
    expect(kept).toEqual([null, null, ''])

    const steps = {
      landing: 1,
      plans: 1,
      signup: 1,
      signed_up: 1,
      upsell: 1,
      checkout_started: 1,
      finished: 1,
      paid: 1,
    }
    const sum = async (rows: Promise<Record<string, unknown>[]>, name: string) =>
      (await rows).reduce((all, row) => all + Number(row[name]), 0)
    const counted = async () => {
      const days = product.runAdmin('funnel', '--days', '40')
      return Object.fromEntries(
        await Promise.all(Object.keys(steps).map(async (step) => [step, await sum(days, step)])),
      )
    }
    await expect.poll(counted).toEqual(steps)
    const origins = product
      .runAdmin('attribution')
      .then((rows) => rows.filter(({ source, campaign }) => source === 'instagram' && campaign === 'verao'))
    for (const name of ['visits', 'sign_ups', 'paid', 'purchases'])
      expect(await sum(origins, name), name).toBe(1)
  },
)

isolatedTest('a consent withdrawn while an event is queued stops that event', async ({ page, product }) => {
  await product.injectFault({ path: '/graph/v26.0', drop: true })
  await page.goto('/planos')
  await consentBar(page).getByRole('button', { name: 'Aceitar' }).click()
  await signUpForTrial(page, newPerson())
  await expect.poll(async () => (await readConversionErrors(product, 'waiting')).length).toBe(1)

  await page.goto('/sobre')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Preferências de privacidade' }).click()
  const saved = page.waitForResponse('**/garimpo.users.v1.UserService/SaveConsent')
  await page.getByRole('checkbox', { name: 'Medição de anúncios' }).uncheck()
  await page.getByRole('button', { name: 'Salvar escolha' }).click()
  expect((await saved).status()).toBe(200)
  await product.clearFaults()
  await advanceClock(product, 2 * 3600)

  await expect.poll(() => readConversionErrors(product, 'done')).toEqual(['dropped: no consent'])
  expect(await (await fetch(`${product.sandbox}/graph/events.json`)).json()).toEqual([])
})
