/** Responses that arrive late, twice or never: an older response never undoes a newer state. */
import type { Page } from '@playwright/test'
import { delay, hold } from './calls'
import { payByCard } from './payment-frame'
import {
  arriveAtUpsell,
  changePlan,
  choosePlan,
  createAccount,
  createSubscriber,
  expect,
  newPerson,
  signIn,
  takeOffer,
  test,
} from './product'

const pathOf = (page: Page) => new URL(page.url()).pathname
/** Waits until the page has handled the last response. */
const waitUntilIdle = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestIdleCallback(() => requestIdleCallback(done))))

test('after a lost session the other links of the sign-in page work', async ({ page }) => {
  await createAccount(page)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Editar perfil' }).click()
  await page.context().clearCookies()
  await page.getByRole('dialog').getByRole('button', { name: 'Salvar' }).click()
  await page.waitForURL('**/login')

  await page.getByRole('link', { name: 'Esqueci minha senha' }).click()
  await expect(page.getByRole('heading', { name: 'Recuperação de Senha' })).toBeVisible()
  expect(pathOf(page)).toBe('/esqueci-senha')
})

test('an old session response does not undo a later sign-in', async ({ page }) => {
  const who = await createAccount(page)
  await page.context().clearCookies()
  await page.evaluate(() => localStorage.clear())
  const { release } = await delay(page, '**/GetSession')
  await page.goto('/login')
  await signIn(page, who)
  await page.waitForURL('**/area-usuario')
  await release()
  await waitUntilIdle(page)

  await expect(page.getByRole('button', { name: 'Editar perfil' })).toBeVisible()
  expect(pathOf(page)).toBe('/area-usuario')
  expect(await page.evaluate(() => localStorage.getItem('uid'))).toMatch(/^usr_/)
})

test('a chunk that fails in the background does not reload the page', async ({ page, pageErrors }) => {
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  await page.route('**/assets/toast*.js', (route) => route.abort())
  const lost = page.waitForRequest('**/assets/toast*.js')
  await page.goto('/cadastro')
  await page.getByLabel('Nome completo').fill('Ana Maria')
  await lost

  await expect(page.getByLabel('Nome completo')).toHaveValue('Ana Maria')
  await page.getByLabel('Email').fill('ana@exemplo.com.br')
  await expect(page.getByLabel('Nome completo')).toHaveValue('Ana Maria')
  expect(loads).toBe(1)
  pageErrors.expect(/ERR_FAILED .*toast/)
})

test('a visitor who leaves the page during the call is not taken to the choice', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 })
  const { responded } = await delay(page, '**/GetSession')
  await choosePlan(page, 'Top Afiliado')
  await responded
  await page.getByRole('banner').getByRole('link', { name: 'Soluções' }).click()
  await page.waitForURL('**/solucoes')
  await waitUntilIdle(page)

  expect(pathOf(page)).toBe('/solucoes')
  expect(await page.evaluate(() => localStorage.getItem('loginRedirectUrl'))).toBeNull()
})

test('a pressed link within the app is marked until its page has loaded', async ({ page }) => {
  await page.goto('/login')
  const release = await hold(page, '**/assets/forgot-password*.js')
  const link = page.getByRole('link', { name: 'Esqueci minha senha' })
  await link.click()

  await expect(link).toHaveCSS('opacity', '0.6')
  await release()
  await expect(page.getByRole('heading', { level: 1, name: 'Recuperação de Senha' })).toBeFocused()
  await expect(page).toHaveTitle(/Recupera/)
})

test('the script of a page is loaded as soon as the pointer is over its link', async ({ page }) => {
  await page.goto('/login')
  await waitUntilIdle(page)
  const coming = page.waitForRequest(/assets\/forgot-password[^/]*\.js/)
  await page.getByRole('link', { name: 'Esqueci minha senha' }).hover()
  await coming
  expect(pathOf(page)).toBe('/login')
})

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

test('a read that fails while the page becomes visible again can be repeated', async ({
  page,
  pageErrors,
}) => {
  await createAccount(page)
  const lose: (() => void)[] = []
  for (const call of ['GetUser', 'GetSubscription'])
    await page.route(`**/${call}`, async (route) => {
      await new Promise<void>((done) => lose.push(done))
      await route.abort()
    })
  await page.goto('/area-usuario')
  await expect.poll(() => lose.length).toBe(2)
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  for (const fail of lose) fail()

  await expect(page.getByRole('button', { name: 'Tentar novamente' }).first()).toBeVisible()
  pageErrors.expect(/ERR_FAILED .*GetUser/, /ERR_FAILED .*GetSubscription/)
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
