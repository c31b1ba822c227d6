/** Responses that arrive late, twice or never: an older response never undoes a newer state. */
import type { Page } from '@playwright/test'
import { delay, hold } from './calls'
import { payByCard } from './payment-frame'
import {
  arriveAtUpsell,
  changePlan,
  createAccount,
  createSubscriber,
  expect,
  newPerson,
  takeOffer,
  test,
} from './product'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

const pathOf = (page: Page) => new URL(page.url()).pathname
/** Waits until the page has handled the last response. */
const waitUntilIdle = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestIdleCallback(() => requestIdleCallback(done))))

test('pages of the site name the rules by which a browser prefetches links, and never run them ahead', async ({
  page,
}) => {
  const answer = await page.goto('/sobre')
  const rules = await page.request.get(JSON.parse((await answer?.headerValue('speculation-rules')) ?? 'null'))
  expect(rules.headers()['content-type']).toBe('application/speculationrules+json')
  const { prefetch, ...others } = await rules.json()
  expect(others).toEqual({})
  expect(prefetch).toMatchObject([{ where: { href_matches: expect.arrayContaining(['/', '/planos']) } }])
  expect(await (await page.goto('/login'))?.headerValue('speculation-rules')).toBeNull()
})

test('a subscription that was read for one user is not shown to the next', async ({
  page,
  context,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2')
  const { responded, release } = await delay(page, '**/GetSubscription')
  await page.goto('/area-usuario')
  // With the cookie of the first person.
  await responded
  const other = await context.newPage()
  await other.context().clearCookies()
  const bia = await createAccount(other, { ...newPerson(), name: 'Bia Lima' })
  await expect(page.getByText(bia.email)).toBeVisible()
  await release()
  await waitUntilIdle(page)

  await expect(page.getByText('Elite Nível 2')).toHaveCount(0)
  await expect(page.getByText(bia.email)).toBeVisible()
})

test('a new read of the invoices cancels the one before it, and has the newest one', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite PRO 1')
  for (const plan of ['elite_pro_2', 'elite_pro_1', 'elite_pro_2', 'elite_pro_1', 'elite_pro_2'])
    await changePlan(page, plan)
  await page.goto('/area-usuario')
  const invoices = page.getByRole('region', { name: 'Faturas', exact: true })
  const rows = invoices.getByRole('listitem')
  await expect(rows).toHaveCount(5)
  const { responded } = await delay(page, '**/ListInvoices')
  await invoices.getByRole('button', { name: 'Carregar mais' }).click()
  await responded
  await changePlan(page, 'elite_nivel_2')
  const canceled = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/ListInvoices'))
  // Closing a dialog reads the invoices again.
  await page.getByRole('button', { name: 'Cancelar assinatura' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Voltar' }).click()
  const newest = rows.filter({ hasText: 'Elite Nível 2' })
  await expect(newest).toHaveCount(1)
  await canceled
  await waitUntilIdle(page)

  await expect(newest).toHaveCount(1)
  await invoices.getByRole('button', { name: 'Carregar mais' }).click()
  await expect(rows).toHaveCount(7)
})

test('the end of a purchase opens the result page once, also while that page is loading', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const release = await hold(page, '**/assets/payment-success*.js')
  const entries = await page.evaluate(() => history.length)
  const asked = page.waitForRequest('**/assets/payment-success*.js')
  const tab = await takeOffer(page, 'Semestral')
  await payByCard(tab, '4242424242424242')
  await asked
  await waitUntilIdle(page)
  await release()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('confirmado')
  expect(pathOf(page)).toBe('/payment-success')
  expect(await page.evaluate(() => history.length)).toBe(entries + 1)
})
