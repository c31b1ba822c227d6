import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { goOffline } from '../browser/calls'
import { createAccount, newPerson } from '../browser/product'
import { createSubscriber } from './account'
import { expect, test } from './screen-test'

test('a subscriber reads of no cancellation, no unnamed payment and no error without a plan', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend)
  backend.refuses(BillingService.method.createCheckoutSession, 'ALREADY_SUBSCRIBED')

  await page.goto('/payment-canceled')
  await expect(page.getByRole('heading', { name: 'Sua assinatura está ativa' })).toBeVisible()
  await expect(page).toHaveTitle('Sua assinatura está ativa | Garimpo')
  await page.goto('/payment-success?price=1')
  // The address names no payment: none is confirmed.
  await expect(page.getByRole('heading', { name: 'Sua assinatura está ativa' })).toBeVisible()
  await expect(page.getByText('Pagamento confirmado')).toHaveCount(0)
  await expect(page.getByText('Valor pago')).toHaveCount(0)
  await page.goto('/checkout')
  await expect(page.getByRole('heading', { name: 'Você já tem uma assinatura ativa!' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Gerenciar Plano' })).toBeVisible()
})

test('plan, period and price of the address are shown to the subscriber who has them, and nothing else of it', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && /meta-capi|count/i.test(request.url())) sent.push(request.url())
  })
  const facts = page.getByRole('definition')

  await page.goto('/payment-success?planName=elite_nivel_2&interval=monthly&price=217.90')
  await expect(page.getByRole('heading', { name: 'Sua assinatura está ativa' })).toBeVisible()
  await expect(facts).toHaveText(['Elite Nível 2', 'Mensal', /R\$\s217,90/])
  await expect(page.getByText('Pagamento confirmado')).toHaveCount(0)

  for (const hostile of [
    'planName=%3Cimg%20src%3Dx%3E&interval=monthly&price=217.90',
    'planName=elite_pro_6&interval=monthly&price=217.90',
    'planName=elite_nivel_2&interval=monthly&price=1.00',
    'planName=elite_nivel_2&interval=anual&price=217.90',
  ]) {
    await page.goto(`/payment-success?${hostile}`)
    await expect(page.getByRole('heading', { name: 'Sua assinatura está ativa' })).toBeVisible()
    await expect(facts).toHaveCount(0)
    await expect(page.getByRole('main').locator('img[src="x"]')).toHaveCount(0)
  }
  expect(sent, 'no event for advertising').toEqual([])
})

test('a sign-out without a connection stays on the page with an error', async ({ page, pageErrors }) => {
  await createAccount(page)
  await page.goto('/area-usuario')
  await expect(page.getByRole('heading', { name: 'Minha Conta' })).toBeVisible()
  await expect(page.getByText('Nenhuma fatura ainda.')).toBeAttached()
  await goOffline(page)

  await page.getByRole('button', { name: 'Sair' }).click()

  await expect(page.getByText('Erro ao fazer logout')).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/area-usuario')
  pageErrors.expect(/ERR_INTERNET_DISCONNECTED .*SignOut/)
})

test('two submits at the same time make one request', async ({ page }) => {
  let calls = 0
  page.on('request', (request) => {
    if (
      request.method() === 'POST' &&
      /\/(SignIn|SignUp|RequestPasswordReset|password-reset)/i.test(request.url())
    )
      calls += 1
  })
  await page.goto('/esqueci-senha')
  await page.getByLabel('Email').fill(newPerson().email)
  await page.locator('main form').evaluate((form: HTMLFormElement) => {
    form.requestSubmit()
    form.requestSubmit()
  })
  await expect(page.locator('main form')).toHaveCount(0)
  expect(calls).toBe(1)
})
