/** The challenge of sign-ups beyond 20 an hour of an address, as the sandbox shows it. */
import type { Page } from '@playwright/test'

import { expectAccessible, expectFits } from './accessibility'
import { clients } from './calls'
import { expect, newPerson, type Product, productPerTest, signUp, test } from './product'

/** Without conversions, because their content security policy would allow the sandbox's scripts. */
const settings = { GARIMPO_CAPTCHA: 'sandbox', GARIMPO_CONVERSIONS: 'off' }
const challenged = test.extend<{ product: Product }>(productPerTest(settings))

/** Sign-ups of an address in an hour without a challenge. */
const FREE = 20

async function usesUpFreeSignUps(page: Page) {
  for (let count = 0; count < FREE; count += 1) {
    const { name, ...who } = newPerson()
    await clients(page).auth.signUp({ ...who, displayName: name })
  }
  await page.context().clearCookies()
}

const box = (page: Page) => page.getByRole('checkbox', { name: /Não sou um robô/ })

challenged(
  'a visitor who comes from another page solves the challenge, and the form is sent as it was typed',
  async ({ page }) => {
    await usesUpFreeSignUps(page)
    const scripts: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/captcha/')) scripts.push(request.url())
    })
    const ana = newPerson()
    await page.goto('/login')
    await page.getByLabel('Email').fill(ana.email)
    // The document of another page would refuse the script, so this page loads again.
    const loaded = page.waitForEvent('load')
    await page.getByRole('main').getByRole('link', { name: 'Cadastre-se' }).click()
    await loaded
    await expect(page.getByLabel('Email')).toHaveValue(ana.email)
    await expect(page).toHaveURL(/\/cadastro$/)

    await signUp(page, ana)
    const alert = page.getByRole('alert').filter({ hasText: 'confirme que você não é um robô' })
    await expect(alert).toBeVisible()
    await expect(box(page)).toBeVisible()
    expect(scripts).toHaveLength(1)
    await expect(page.getByLabel('Nome completo')).toHaveValue(ana.name)
    await expect(page.getByLabel('Senha', { exact: true })).toHaveValue(ana.password)
    await expectAccessible(page)
    await expectFits(page, 320)

    // Without the solution the form is not sent.
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/SignUp')) sent.push(request.url())
    })
    await page.getByRole('button', { name: 'Criar conta' }).click()
    await expect(page.getByText('Para criar a conta, confirme que você não é um robô.')).toHaveCount(3)
    expect(sent).toEqual([])

    await box(page).click()
    await page.waitForURL('**/account-confirmation')
    expect(sent).toHaveLength(1)
  },
)

challenged(
  'a challenge that does not load or cannot be verified is offered again, and then the visitor sends the form',
  async ({ page, product, pageErrors }) => {
    await usesUpFreeSignUps(page)
    await page.goto('/cadastro')
    await page.route('**/captcha/api.js', (route) => route.abort('blockedbyclient'))
    await signUp(page, newPerson())
    await expect(page.getByRole('alert').filter({ hasText: 'A confirmação não carregou.' })).toBeVisible()
    pageErrors.expect(/ERR_BLOCKED_BY_CLIENT.*captcha/)

    await page.unroute('**/captcha/api.js')
    await page.getByRole('button', { name: 'Tentar novamente' }).click()
    await expect(box(page)).toBeVisible()

    await product.injectFault({ path: '/captcha/siteverify', status: 503 })
    await box(page).click()
    await expect(page.getByText('Ocorreu um erro ao criar sua conta. Tente novamente.').first()).toBeVisible()
    await expect(
      page.getByRole('alert').filter({ hasText: 'A confirmação anterior não vale mais.' }),
    ).toBeVisible()
    await expect(box(page)).not.toBeChecked()

    await product.clearFaults()
    await box(page).click()
    await expect(page.getByRole('button', { name: 'Criar conta' })).toBeEnabled()
    await page.getByRole('button', { name: 'Criar conta' }).click()
    await page.waitForURL('**/account-confirmation')
  },
)

challenged(
  'where the document has the policy of another page, trying again loads the sign-up page with its own',
  async ({ page, pageErrors }) => {
    await usesUpFreeSignUps(page)
    // Without the settings the page cannot show a challenge.
    await page.route('**/config.json', (route) => route.abort())
    await page.goto('/login')
    await page.getByRole('main').getByRole('link', { name: 'Cadastre-se' }).click()
    await signUp(page, newPerson())
    await expect(page.getByRole('alert').filter({ hasText: 'A confirmação não carregou.' })).toBeVisible()
    pageErrors.expect(/config\.json/, /captcha\/api\.js.*Content Security Policy/)

    await page.unroute('**/config.json')
    const loaded = page.waitForEvent('load')
    await page.getByRole('button', { name: 'Tentar novamente' }).click()
    await loaded
    await signUp(page, newPerson())
    await box(page).click()
    await page.waitForURL('**/account-confirmation')
  },
)
