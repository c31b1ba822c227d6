/** Responses that arrive late, twice or never: an older response never undoes a newer state. */
import type { Page } from '@playwright/test'
import { delay, hold } from '../browser/calls'
import { choosePlan, createAccount, signIn } from '../browser/product'
import { createSubscriber } from './account'
import { expect, test } from './screen-test'

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

test('after a cancellation the account does not share a read that began before it', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Cancelar assinatura' }).click()
  const earlier = await delay(page, '**/GetSubscription')
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await earlier.responded
  await page.getByRole('dialog').getByRole('button', { name: 'Cancelar assinatura' }).click()

  await expect(page.getByRole('button', { name: 'Desfazer cancelamento' })).toBeVisible()
})
