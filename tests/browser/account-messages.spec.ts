import type { Page } from '@playwright/test'
import { CreateCheckoutSessionRequestSchema } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { expectAccessible, expectFits } from './accessibility'
import { failCall, hold, messageOf, signInWithoutEmail } from './calls'
import { waitForCheckoutSession } from './payment-frame'
import { arriveAtUpsell, choosePlan, createSubscriber, expect, takeOffer, test } from './product'

const WIDTHS = [320, 768, 1280, 390]

/** Expects that the page fits each width and is accessible in its present state. */
async function expectFitsAndAccessible(page: Page) {
  for (const width of WIDTHS) await expectFits(page, width)
  await expectAccessible(page)
}

test('the checkout loads the form of the provider, and a failure shows an error card and a toast', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const answer = await hold(page, '**/CreateCheckoutSession')
  await page.goto('/checkout')
  await expect(page.getByRole('heading', { name: 'Finalizar Assinatura' })).toBeVisible()
  await expect(page.getByText('Carregando checkout...').first()).toBeAttached()
  await answer()
  await expect(page.frameLocator('iframe').getByLabel('Número do cartão')).toBeVisible()
  const back = page.getByRole('link', { name: 'Voltar aos planos' })
  await expect(back).toHaveAttribute('href', '/planos')
  await expectFitsAndAccessible(page)

  const said: string[] = []
  page.on('console', (message) => said.push(message.text()))
  await page.evaluate(() => localStorage.removeItem('checkoutClientSecret'))
  await failCall(page, 'CreateCheckoutSession', 'INTERNAL')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Erro', exact: true })).toBeVisible()
  await expect(
    page.getByText('Ocorreu um erro ao configurar o checkout. Por favor, tente novamente mais tarde.'),
  ).toBeVisible()
  const toast = page
    .getByRole('alert')
    .filter({ hasText: 'Não foi possível configurar o checkout. Tente novamente mais tarde.' })
  await expect(toast).toContainText('Erro')
  await expect(back).toHaveAttribute('href', '/planos')
  expect(said.some((text) => text.includes('Falha ao criar sessão de checkout'))).toBe(true)
  await expectFitsAndAccessible(page)

  // Without a chosen plan the page requests the default plan, which is not for sale.
  await page.unrouteAll()
  await page.evaluate(() => {
    for (const key of ['selectedPlan', 'checkoutClientSecret']) localStorage.removeItem(key)
  })
  const asked = page.waitForRequest('**/CreateCheckoutSession')
  await page.reload()
  expect(await messageOf(await asked, CreateCheckoutSessionRequestSchema)).toMatchObject({
    planName: 'profissional',
    interval: 'monthly',
  })
  await expect(page.getByRole('heading', { name: 'Escolha um plano para assinar' })).toBeVisible()
})

test('the checkout return waits for the response, and an open session leads back to the checkout', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const session = await waitForCheckoutSession(await takeOffer(page, 'Anual'))
  await failCall(page, 'GetCheckoutSession', 'INTERNAL')
  await page.goto(`/checkout-return?session_id=${session}`)
  await expect(page.getByText('Carregando...').first()).toBeAttached()
  await expect(page.getByRole('alert')).toHaveCount(0)
  expect(new URL(page.url()).pathname).toBe('/checkout-return')
  await expectFitsAndAccessible(page)
  await page.unrouteAll()
  await page.waitForURL('**/checkout')
})

test('a payer reads the confirmation and the subscription, and each failed read shows its error', async ({
  page,
  product,
  pageErrors,
}) => {
  const { session } = await createSubscriber(page, product, 'Elite Nível 2', { interval: 'semestral' })
  await page.goto(`/payment-success?session_id=${session}`)
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
  await expect(page.getByText('Em instantes você recebe um email', { exact: false })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Acessar a plataforma' })).toHaveAttribute(
    'href',
    /garimpo=app/,
  )
  await expectFitsAndAccessible(page)

  await page.goto('/area-usuario')
  const held = page.getByRole('region', { name: 'Assinatura' })
  await expect(held.getByText('Elite Nível 2')).toBeVisible()
  await expect(held.getByText('Ativa', { exact: true })).toHaveCSS('color', 'rgb(207, 235, 221)')
  for (const name of ['Plano', 'Status', 'Início', 'Fim'])
    await expect(held.getByText(name, { exact: true })).toBeVisible()
  await expect(held.getByText(/^\d{2}\/\d{2}\/\d{4}$/)).toHaveCount(2)
  await expect(held.getByRole('button', { name: 'Gerenciar Plano' })).toBeVisible()
  await expect(held.getByText('Fazer Upgrade')).toBeVisible()
  await expectFitsAndAccessible(page)

  await failCall(page, 'GetUser', 'INTERNAL')
  await page.reload()
  await expect(page.getByRole('alert').filter({ hasText: 'Erro ao carregar dados do usuário' })).toBeVisible()
  await expect(held.getByText('Elite Nível 2')).toBeVisible()
  await page.unrouteAll()

  // The portal fails, and then the user has no email.
  await choosePlan(page, 'Top Afiliado')
  await failCall(page, 'CreatePortalSession', 'INTERNAL')
  await page.getByRole('button', { name: 'Gerenciar Plano' }).click()
  const alert = page.getByRole('alert')
  await expect(
    alert.filter({ hasText: 'Não foi possível acessar o portal de gerenciamento de assinatura' }),
  ).toContainText('Erro')
  await page.unrouteAll()
  await signInWithoutEmail(page)
  await choosePlan(page, 'Top Afiliado')
  await page.getByRole('button', { name: 'Gerenciar Plano' }).click()
  await expect(alert.filter({ hasText: 'Email não encontrado' })).toContainText('Erro')
  await expectAccessible(page)

  await page.goto('/area-usuario')
  await expect(page.getByRole('heading', { name: 'Nenhum dado encontrado' })).toBeVisible()
  await expectFitsAndAccessible(page)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Voltar para o login' }).click()
  await page.waitForURL('**/login')
  pageErrors.expect(/the portal did not open AppError: INTERNAL/)
})
