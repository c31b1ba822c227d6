import { isAccessible } from './acessibilidade'
import { openedSession, payByCard, paymentFrame } from './payment-frame'
import { arriveAtUpsell, choosePlan, expect, person, signUp, takeOffer, test } from './product'

test('visitante assina o Elite Nível 2 semestral com cartão e vê a assinatura ativa', async ({ page }) => {
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
  // Said to whoever does not see it, too.
  await expect(page.locator('[aria-live]', { hasText: 'Pagamento confirmado | Garimpo' })).toHaveCount(1)
  await expect.poll(() => tab.isClosed()).toBe(true)
  await page.goto('/area-usuario')
  await expect(page.getByText('Ativa', { exact: true })).toBeVisible()
  await expect(page.getByText('Elite Nível 2').first()).toBeVisible()
  const dates = await page.getByText(/\d{2}\/\d{2}\/\d{4}/).allInnerTexts()
  expect(dates.length).toBeGreaterThanOrEqual(2)
})

test('cartão recusado mostra o motivo, não cobra nada e tentar de novo funciona', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 1')
  const tab = await takeOffer(page, 'Anual')

  await payByCard(tab, '4000000000000002')
  await expect(paymentFrame(tab).getByRole('alert')).toContainText(/recusado/i)
  expect(page.url()).toContain('/upsell')

  await payByCard(tab, '4242424242424242')
  await page.waitForURL('**/payment-success**')
})

test('fechar a aba do checkout leva à página de pagamento cancelado, sem cobrança', async ({ page }) => {
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

test('sem janela nova o checkout abre na mesma aba e termina na página de sucesso', async ({ page }) => {
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

test('Top Afiliado pula as ofertas e se paga depois por Concluir assinatura', async ({ page }) => {
  await choosePlan(page, 'Top Afiliado')
  await page.waitForURL('**/cadastro')
  await signUp(page, person())
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

test('o formulário do ambiente de testes não tem violação, nem com o boleto', async ({ page, context }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  await openedSession(tab)
  const frame = tab.frames().find((each) => each !== tab.mainFrame())
  const alone = await context.newPage()
  await alone.goto(frame?.url() ?? '')
  await expect(alone.getByLabel('Número do cartão')).toBeVisible()
  await isAccessible(alone)
  await alone.getByRole('tab', { name: 'Boleto' }).click()
  await expect(alone.getByLabel('CPF ou CNPJ')).toBeVisible()
  await isAccessible(alone)
})
