/** /cadastro and /login in a browser that blocks cookies. */
import type { BrowserContext } from '@playwright/test'
import { expectAccessible } from '../browser/accessibility'
import { createAccount, newPerson, signIn, signUp } from '../browser/product'
import { expect, test } from './screen-test'

const BLOCKED = 'Seu navegador está bloqueando cookies. Libere-os para este site e entre de novo.'

/** Removes the session cookie from responses, as a browser that blocks cookies does. */
async function blockCookies(context: BrowserContext) {
  await context.route(/AuthService\/Sign(In|Up)$/, async (route) => {
    const response = await route.fetch()
    const { 'set-cookie': _, ...headers } = response.headers()
    await context.clearCookies()
    await route.fulfill({ response, headers })
  })
}

test('a login whose cookie is blocked shows the reason and stays on its page', async ({ page, context }) => {
  const ana = await createAccount(page)
  await context.clearCookies()
  await page.evaluate(() => localStorage.clear())
  await blockCookies(context)

  await page.goto('/login')
  await signIn(page, ana)

  await expect(page.getByRole('alert').getByText(BLOCKED)).toBeVisible()
  await expect(page.getByText('Login realizado com sucesso!')).toHaveCount(0)
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByLabel('Email')).toHaveValue(ana.email)
  await expectAccessible(page)

  await context.unrouteAll()
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await page.waitForURL('**/area-usuario')
})

test('a sign-up whose cookie is blocked shows the reason', async ({ page, context }) => {
  await blockCookies(context)
  await page.goto('/cadastro')
  await signUp(page, newPerson())

  await expect(page.getByRole('alert').getByText(BLOCKED)).toBeVisible()
  await expect(page).toHaveURL(/\/cadastro$/)
  expect(await page.evaluate(() => localStorage.getItem('uid'))).toBeNull()
})
