import { expectAccessible } from './accessibility'
import { payByCard, paymentFrame, waitForCheckoutSession } from './payment-frame'
import { arriveAtUpsell, choosePlan, expect, newPerson, signUp, takeOffer, test } from './product'

test('a visitor buys Elite Nível 2 for six months by card and sees the active subscription', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await expect(page.getByRole('heading', { name: 'Aproveite as Ofertas Exclusivas' })).toBeVisible()

  await page.getByRole('region', { name: 'Semestral', exact: true }).getByRole('button').click()
  const dialog = page.getByRole('dialog', { name: 'Confirmar mudança de plano' })
  await expect(dialog).toContainText('871,60')
  const popup = page.waitForEvent('popup')
  await dialog.getByRole('button', { name: 'Confirmar' }).click()
  const tab = await popup
  await expect(page.getByText('Abrindo checkout...')).toBeVisible()
  await expect(tab.getByRole('heading', { name: 'Finalizar Assinatura' })).toBeVisible()
  await payByCard(tab, '4242424242424242')

  await page.waitForURL('**/payment-success**')
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
  // Announced to screen readers too.
  await expect(page.locator('[aria-live]', { hasText: 'Pagamento confirmado | Garimpo' })).toHaveCount(1)
  await expect.poll(() => tab.isClosed()).toBe(true)
  await page.goto('/area-usuario')
  await expect(page.getByText('Ativa', { exact: true })).toBeVisible()
  await expect(page.getByText('Elite Nível 2').first()).toBeVisible()
  const dates = await page.getByText(/\d{2}\/\d{2}\/\d{4}/).allInnerTexts()
  expect(dates.length).toBeGreaterThanOrEqual(2)
})

test('a declined card shows the reason and charges nothing, and another try succeeds', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 1')
  const tab = await takeOffer(page, 'Anual')

  await payByCard(tab, '4000000000000002')
  await expect(paymentFrame(tab).getByRole('alert')).toContainText(/recusado/i)
  expect(page.url()).toContain('/upsell')

  await payByCard(tab, '4242424242424242')
  await page.waitForURL('**/payment-success**')
})

test('closing the checkout tab leads to the canceled page, without a charge', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 3')
  const tab = await takeOffer(page, 'Trimestral')
  await expect(paymentFrame(tab).getByLabel('Número do cartão')).toBeVisible()

  await tab.close()

  await page.waitForURL('**/payment-canceled**')
  await expect(page.getByText('Voltar aos planos')).toBeVisible()
})

test('a checkout tab that goes to another page of the site without a purchase ends as canceled', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 3')
  const tab = await takeOffer(page, 'Trimestral')
  await expect(paymentFrame(tab).getByLabel('Número do cartão')).toBeVisible()

  await tab.goto('/planos')

  await page.waitForURL('**/payment-canceled**')
  await expect(page.getByText('Voltar aos planos')).toBeVisible()
})

test('without a new window the checkout opens in the same tab and ends on the success page', async ({
  page,
}) => {
  await page.addInitScript(() => {
    window.open = () => null
  })
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()

  await page.waitForURL('**/checkout')
  await payByCard(page, '4242424242424242')

  await page.waitForURL('**/payment-success**')
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
})

test('a sign-up for Top Afiliado skips the offers, and the confirmation page leads to the payment', async ({
  page,
}) => {
  await choosePlan(page, 'Top Afiliado')
  await page.waitForURL('**/cadastro')
  await signUp(page, newPerson())
  await page.waitForURL('**/account-confirmation')
  await expect(page.getByRole('heading', { name: 'Conta criada com sucesso!' })).toBeVisible()
  await expect(page.getByText('7 dias grátis').first()).toBeVisible()

  await page.getByText('Concluir assinatura do plano Top Afiliado').click()
  await page.waitForURL('**/upsell')
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  await payByCard(await popup, '4242424242424242')

  await page.waitForURL('**/payment-success**')
})

test('the card and boleto forms of the sandbox have no accessibility violation', async ({
  page,
  context,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  await waitForCheckoutSession(tab)
  const frame = tab.frames().find((each) => each !== tab.mainFrame())
  const alone = await context.newPage()
  await alone.goto(frame?.url() ?? '')
  await expect(alone.getByLabel('Número do cartão')).toBeVisible()
  await expectAccessible(alone)
  await alone.getByRole('tab', { name: 'Boleto' }).click()
  await expect(alone.getByLabel('CPF ou CNPJ')).toBeVisible()
  await expectAccessible(alone)
})
