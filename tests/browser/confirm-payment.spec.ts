import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from './accessibility'
import {
  createUnconfirmedRenewal,
  expect,
  type Product,
  productPerTest,
  signIn,
  test,
  waitForUserRecord,
} from './product'

/** These tests advance the clock, so each has its own product. */
const isolatedTest = test.extend<{ product: Product }>(productPerTest())

/** Test card that requires authentication at each payment and is then declined. */
const DECLINED_AFTER_AUTHENTICATION_CARD = '4000008260003178'

const bankFrame = (page: Page) => page.frameLocator('iframe[name="bank-authentication"]')
const subscription = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })

for (const status of ['requires_action', 'requires_payment_method'])
  isolatedTest(
    `a renewal held by the bank (${status}) is confirmed from the account, also after a refusal`,
    async ({ page, product }) => {
      await fetch(`${product.sandbox}/_test/behavior`, {
        method: 'PUT',
        body: JSON.stringify({ authentication_status: status }),
      })
      await createUnconfirmedRenewal(page, product)
      await page.goto('/area-usuario')
      await expect(subscription(page)).toContainText('O banco pediu a sua confirmação')
      await expectAccessible(page)
      await subscription(page).getByRole('link', { name: 'Confirmar pagamento' }).click()
      await page.waitForURL('**/confirmar-pagamento')

      const confirm = page.getByRole('button', { name: /^Confirmar R\$\s217,90$/ })
      await expect(
        page.getByText(/Para cobrar R\$\s217,90 da renovação do plano Elite Nível 2/),
      ).toBeVisible()
      for (const width of [320, 1280, 390]) await expectFits(page, width)
      await expectAccessible(page)
      await confirm.click()
      await bankFrame(page).getByRole('button', { name: 'Recusar' }).click()

      await expect(page.getByRole('alert')).toContainText('O pagamento não foi confirmado')
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Tentar novamente' }).click()
      await bankFrame(page).getByRole('button', { name: 'Autorizar' }).click()

      await expect(page.getByRole('status')).toContainText('Pagamento confirmado!')
      await expectAccessible(page)
      await page.getByRole('link', { name: 'Ver minha conta' }).click()
      await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()

      await page.goto('/confirmar-pagamento')
      await expect(page.getByText('Nenhum pagamento espera a sua confirmação')).toBeVisible()
    },
  )

isolatedTest(
  'a card declined after the authentication asks for another one, which pays at once',
  async ({ page, product }) => {
    await createUnconfirmedRenewal(page, product)
    // Save that card in the portal.
    await saveCardInPortal(page, DECLINED_AFTER_AUTHENTICATION_CARD)
    await page.goto('/confirmar-pagamento')
    await page.getByRole('button', { name: /^Confirmar R\$/ }).click()
    await bankFrame(page).getByRole('button', { name: 'Autorizar' }).click()

    await expect(page.getByRole('alert')).toContainText('O banco recusou o pagamento')
    await expect(page.getByRole('button', { name: 'Tentar novamente' })).toHaveCount(0)
    await saveCardInPortal(page, '4242424242424242')
    await waitForUserRecord(page, (user) => user.subscription_status === 'active')
    await page.goto('/area-usuario')
    await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()
  },
)

/** Saves a card in the portal. */
async function saveCardInPortal(page: Page, number: string) {
  if (!page.url().endsWith('/confirmar-pagamento')) await page.goto('/confirmar-pagamento')
  await page.getByRole('button', { name: 'Usar outro cartão' }).click()
  await page.getByLabel('Número do cartão').fill(number)
  await page.getByLabel('Validade').fill('12/34')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Nome no cartão').fill('ANA M SOUZA')
  await page.getByRole('button', { name: 'Atualizar cartão' }).click()
  await expect(page.getByText('Alteração salva.')).toBeVisible()
}

isolatedTest(
  'the link of the email leads a signed-out user to the sign-in and back to the payment',
  async ({ page, product }) => {
    const who = await createUnconfirmedRenewal(page, product)
    await page.context().clearCookies()
    await page.goto('/confirmar-pagamento')
    await expect(page.getByText('Entre na sua conta para confirmar o pagamento.')).toBeVisible()
    await page.getByRole('link', { name: 'Fazer Login' }).click()
    await signIn(page, who)
    await page.waitForURL('**/confirmar-pagamento')
    await expect(page.getByRole('button', { name: /^Confirmar R\$/ })).toBeVisible()
  },
)

isolatedTest(
  'without the script of the provider the page links to the invoice, and another try succeeds',
  async ({ page, product, pageErrors }) => {
    await createUnconfirmedRenewal(page, product)
    await page.route(`${product.sandbox}/v3/`, (route) => route.abort())
    await page.goto('/confirmar-pagamento')
    await expect(page.getByText('Não conseguimos abrir a confirmação')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Abrir a página da fatura' })).toHaveAttribute(
      'href',
      /\/invoices\//,
    )
    pageErrors.expect(/ERR_FAILED .*\/v3\/$/)
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Tentar novamente' }).click()
    await expect(page.getByRole('button', { name: /^Confirmar R\$/ })).toBeVisible()
  },
)
