import type { Page } from '@playwright/test'
import { fits, isAccessible } from './acessibilidade'
import { becomes, expect, joins, ownProduct, type Product, signIn, test, withWaitingRenewal } from './product'

/** These walk the clock: each has a product of its own. */
const own = test.extend<{ product: Product }>(ownProduct())

/** Asks for authentication at every payment, and is declined after it. */
const ASKS_AND_DECLINES = '4000008260003178'

const bank = (page: Page) => page.frameLocator('iframe[name="bank-authentication"]')
const subscription = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })

for (const status of ['requires_action', 'requires_payment_method'])
  own(
    `a renovação que o banco segurou (${status}) se confirma pela conta, e recusar deixa tentar de novo`,
    async ({ page, product }) => {
      await fetch(`${product.sandbox}/_test/behavior`, {
        method: 'PUT',
        body: JSON.stringify({ authentication_status: status }),
      })
      await withWaitingRenewal(page, product)
      await page.goto('/area-usuario')
      await expect(subscription(page)).toContainText('O banco pediu a sua confirmação')
      await isAccessible(page)
      await subscription(page).getByRole('link', { name: 'Confirmar pagamento' }).click()
      await page.waitForURL('**/confirmar-pagamento')

      const confirm = page.getByRole('button', { name: /^Confirmar R\$\s217,90$/ })
      await expect(
        page.getByText(/Para cobrar R\$\s217,90 da renovação do plano Elite Nível 2/),
      ).toBeVisible()
      for (const width of [320, 1280, 390]) await fits(page, width)
      await isAccessible(page)
      await confirm.click()
      await bank(page).getByRole('button', { name: 'Recusar' }).click()

      await expect(page.getByRole('alert')).toContainText('O pagamento não foi confirmado')
      await isAccessible(page)
      await page.getByRole('button', { name: 'Tentar novamente' }).click()
      await bank(page).getByRole('button', { name: 'Autorizar' }).click()

      await expect(page.getByRole('status')).toContainText('Pagamento confirmado!')
      await isAccessible(page)
      await page.getByRole('link', { name: 'Ver minha conta' }).click()
      await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()

      await page.goto('/confirmar-pagamento')
      await expect(page.getByText('Nenhum pagamento espera a sua confirmação')).toBeVisible()
    },
  )

own('cartão recusado depois da confirmação pede outro, que paga na hora', async ({ page, product }) => {
  await withWaitingRenewal(page, product)
  // The card that asks and then declines becomes the person's new one, in the portal.
  await usesCard(page, ASKS_AND_DECLINES)
  await page.goto('/confirmar-pagamento')
  await page.getByRole('button', { name: /^Confirmar R\$/ }).click()
  await bank(page).getByRole('button', { name: 'Autorizar' }).click()

  await expect(page.getByRole('alert')).toContainText('O banco recusou o pagamento')
  await expect(page.getByRole('button', { name: 'Tentar novamente' })).toHaveCount(0)
  await usesCard(page, '4242424242424242')
  await becomes(page, (user) => user.subscription_status === 'active')
  await page.goto('/area-usuario')
  await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()
})

/** Types a card into the portal, which takes it, and comes back to the account. */
async function usesCard(page: Page, number: string) {
  if (!page.url().endsWith('/confirmar-pagamento')) await page.goto('/confirmar-pagamento')
  await page.getByRole('button', { name: 'Usar outro cartão' }).click()
  await page.getByLabel('Número do cartão').fill(number)
  await page.getByLabel('Validade').fill('12/34')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Nome no cartão').fill('ANA M SOUZA')
  await page.getByRole('button', { name: 'Atualizar cartão' }).click()
  await expect(page.getByText('Alteração salva.')).toBeVisible()
}

own('o link do email leva quem saiu ao login e de volta ao pagamento', async ({ page, product }) => {
  const who = await withWaitingRenewal(page, product)
  await page.context().clearCookies()
  await page.goto('/confirmar-pagamento')
  await expect(page.getByText('Entre na sua conta para confirmar o pagamento.')).toBeVisible()
  await page.getByRole('link', { name: 'Fazer Login' }).click()
  await signIn(page, who)
  await page.waitForURL('**/confirmar-pagamento')
  await expect(page.getByRole('button', { name: /^Confirmar R\$/ })).toBeVisible()
})

own(
  'sem o script do provedor a página oferece a da fatura, e outra tentativa confirma',
  async ({ page, product, complaints }) => {
    await withWaitingRenewal(page, product)
    await page.route(`${product.sandbox}/v3/`, (route) => route.abort())
    await page.goto('/confirmar-pagamento')
    await expect(page.getByText('Não conseguimos abrir a confirmação')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Abrir a página da fatura' })).toHaveAttribute(
      'href',
      /\/invoices\//,
    )
    complaints.expect(/ERR_FAILED .*\/v3\/$/)
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Tentar novamente' }).click()
    await expect(page.getByRole('button', { name: /^Confirmar R\$/ })).toBeVisible()
  },
)

test('quem não tem o que confirmar lê isso, e chega à sua conta', async ({ page }) => {
  await joins(page)
  await page.goto('/confirmar-pagamento')
  await expect(page.getByText('Nenhum pagamento espera a sua confirmação')).toBeVisible()
  await page.getByRole('link', { name: 'Ver minha conta' }).click()
  await page.waitForURL('**/area-usuario')
})
