/** /checkout and the pages after it, with a paragraph in place of the provider's form. */
import type { Page } from '@playwright/test'
import {
  BillingService,
  CreateCheckoutSessionRequestSchema,
} from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { hold, messageOf } from '../browser/calls'
import { arriveAtUpsell, createAccount, storeElitePlan } from '../browser/product'
import { createSubscriber, SESSION } from './account'
import { accountState, boleto, checkout, inDays, subscription, subscriptions } from './messages'
import { expect, test } from './screen-test'

const billing = BillingService.method
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const form = (page: Page) => page.getByText('provider form')

async function openCheckout(page: Page) {
  await createAccount(page)
  await storeElitePlan(page)
  await page.goto('/checkout')
}

test('the checkout asks for the chosen plan at the shown price, and shows them beside the form', async ({
  page,
}) => {
  const sent = page.waitForRequest('**/CreateCheckoutSession')
  await openCheckout(page)

  expect(await messageOf(await sent, CreateCheckoutSessionRequestSchema)).toMatchObject({
    planName: 'elite_nivel_2',
    shownPriceCentavos: 21_790n,
  })
  await expect(form(page)).toBeVisible()
  const summary = page.getByRole('complementary', { name: 'Resumo' })
  await expect(summary).toContainText(/Plano\s*Elite Nível 2\s*Período\s*Mensal\s*Cobrado hoje\s*R\$\s217,90/)
  await expect(page.getByText('Renova pelo mesmo valor a cada 30 dias.')).toBeVisible()
})

test('a spinner shows until the session of the checkout exists', async ({ page }) => {
  await createAccount(page)
  await storeElitePlan(page)
  const release = await hold(page, '**/CreateCheckoutSession')
  await page.goto('/checkout')
  await expect(page.getByText('Carregando checkout...').first()).toBeAttached()
  await expect(form(page)).toHaveCount(0)
  await release()
  await expect(form(page)).toBeVisible()
})

test('each refusal of a checkout has its card and its next step', async ({ page, backend }) => {
  await createAccount(page)
  await storeElitePlan(page)
  for (const [reason, title, way] of [
    ['ALREADY_SUBSCRIBED', 'Você já tem uma assinatura ativa!', 'Mudar de plano'],
    ['COUPON_NOT_APPLICABLE', 'Este cupom não vale para esta compra.', 'Continuar sem cupom'],
    ['PAYMENTS_DOWN', 'Erro', 'Tentar novamente'],
    ['PROVIDER_UNAVAILABLE', 'Erro', 'Tentar novamente'],
    ['INTERNAL', 'Erro', 'Tentar novamente'],
  ] as const) {
    backend.refuses(billing.createCheckoutSession, reason)
    await page.goto('/checkout')
    await expect(heading(page, title), reason).toBeVisible()
    const main = page.getByRole('main')
    await expect(
      main.getByRole('button', { name: way }).or(main.getByRole('link', { name: way })),
    ).toBeVisible()
  }
})

test('another try after a failed checkout opens the form', async ({ page, backend }) => {
  backend.refuses(billing.createCheckoutSession, 'INTERNAL')
  await openCheckout(page)
  await expect(heading(page, 'Erro')).toBeVisible()
  backend.returns(billing.createCheckoutSession, { clientSecret: `${SESSION}_secret_2` })
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(form(page)).toBeVisible()
})

test("without the provider's script the checkout says that it failed", async ({
  page,
  backend,
  pageErrors,
}) => {
  backend.onPath('/provider.js', () => new Response(null, { status: 503 }))
  await openCheckout(page)
  await expect(heading(page, 'Erro')).toBeVisible()
  pageErrors.expect(/503 .*provider\.js/)
})

test('a completed form leads to the confirmation of its session', async ({ page, backend }) => {
  await openCheckout(page)
  await expect(form(page)).toBeVisible()
  backend.returns(billing.getCheckoutSession, checkout({ status: 'complete', paymentStatus: 'paid' }))
  backend.state = accountState({ subscription: subscription() })
  await form(page).click()

  await page.waitForURL(`**/payment-success?session_id=${SESSION}`)
  await expect(heading(page, 'Pagamento confirmado!')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('selectedPlan'))).toBeNull()
})

test('a payment that was returned says how, instead of a confirmation', async ({ page, backend }) => {
  await createSubscriber(page, backend)
  for (const [refundMethod, text] of [
    ['card', 'o valor volta no mesmo cartão'],
    ['pix', 'este pagamento é devolvido por Pix'],
    ['credit', 'volta a ser crédito da sua conta'],
  ] as const) {
    const paid = { status: 'complete', paymentStatus: 'paid', refundMethod }
    backend.returns(billing.getCheckoutSession, checkout(paid))
    await page.goto(`/payment-success?session_id=${SESSION}`)
    await expect(heading(page, 'Você já tinha uma assinatura ativa')).toBeVisible()
    await expect(page.getByText(text)).toBeVisible()
    await expect(heading(page, 'Pagamento confirmado!')).toHaveCount(0)
  }
})

test('a first charge at the end of the trial confirms the subscription, and no payment', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, subscriptions.trialing)
  backend.returns(billing.getCheckoutSession, checkout({ status: 'complete', paymentStatus: 'paid' }))
  await page.goto(`/payment-success?session_id=${SESSION}`)
  await expect(heading(page, 'Assinatura confirmada!')).toBeVisible()
  await expect(page.getByText('Hoje nada foi cobrado.')).toBeVisible()
  await expect(page.getByText('Valor pago')).toHaveCount(0)
})

test('the confirmation of an unpaid boleto leads to the page that awaits it', async ({ page, backend }) => {
  await createSubscriber(page, backend, subscriptions.awaitingBoleto)
  backend.returns(billing.getCheckoutSession, checkout({ status: 'complete', boleto: boleto() }))
  await page.goto(`/payment-success?session_id=${SESSION}`)
  await page.waitForURL(`**/payment-awaited?session_id=${SESSION}`)
  await expect(page.getByRole('region', { name: 'Boleto' })).toContainText('R$ 217,90')
})

test('the awaiting page says of an open checkout, and of an expired one, that nothing was charged', async ({
  page,
  backend,
}) => {
  await createAccount(page)
  for (const [status, title] of [
    ['open', 'O checkout ainda está aberto'],
    ['expired', 'O prazo deste pagamento acabou'],
  ] as const) {
    backend.returns(billing.getCheckoutSession, checkout({ status }))
    await page.goto(`/payment-awaited?session_id=${SESSION}`)
    await expect(heading(page, title)).toBeVisible()
    await expect(page.getByText('Aguardando pagamento')).toHaveCount(0)
  }
})

test('a subscriber reads on /upsell that there is nothing to buy', async ({ page, backend }) => {
  await createSubscriber(page, backend)
  await storeElitePlan(page)
  await page.goto('/upsell')
  await expect(heading(page, 'Você já tem uma assinatura ativa!')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Aproveitar Oferta' })).toHaveCount(0)
})

test('a plan that is no longer for sale leads from /upsell to the plans', async ({ page, backend }) => {
  backend.refuses(billing.listUpsellOffers, 'PLAN_NOT_FOR_SALE')
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/planos')
})

test('a suspended subscription shows its open renewal before the offers', async ({ page, backend }) => {
  await createSubscriber(page, backend, subscriptions.suspended)
  await storeElitePlan(page)
  await page.goto('/upsell')
  const first = page.getByRole('region', { name: 'Sua assinatura está suspensa' })
  await expect(first).toContainText('A renovação do Elite Nível 2 está em aberto')
  await expect(first.getByRole('button', { name: 'Pagar a renovação' })).toBeVisible()
})

test('a spinner shows on /upsell until the offers are computed', async ({ page }) => {
  const release = await hold(page, '**/ListUpsellOffers')
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await expect(page.getByText('Calculando suas ofertas...').first()).toBeAttached()
  await release()
  await expect(page.getByRole('region', { name: 'Semestral' })).toBeVisible()
})

test('a payment to confirm is authenticated, and the page says that it is paid', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, subscriptions.authentication)
  backend.returns(billing.getPaymentAuthentication, {
    invoiceId: 'in_1',
    clientSecret: 'pi_1_secret_1',
    amountCentavos: 21_790n,
    planId: 'elite_nivel_2',
  })
  await page.goto('/confirmar-pagamento')
  await expect(page.getByText(/Para cobrar R\$\s217,90 da renovação do plano Elite Nível 2/)).toBeVisible()
  backend.state = accountState({ subscription: subscription({ endsAt: inDays(30) }) })
  await page.getByRole('button', { name: /^Confirmar R\$\s217,90$/ }).click()
  await expect(page.getByRole('status')).toContainText('Pagamento confirmado!')
})

test('each failed authentication of a payment has its text, and can be tried again', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, subscriptions.authentication)
  backend.returns(billing.getPaymentAuthentication, {
    clientSecret: 'pi_1_secret_1',
    amountCentavos: 21_790n,
  })
  for (const [result, text] of [
    ["({ error: { code: 'payment_intent_authentication_failure' } })", 'O pagamento não foi confirmado'],
    ["({ error: { code: 'card_declined', type: 'card_error' } })", 'O banco recusou o pagamento'],
    ["Promise.reject(new Error('down'))", 'A confirmação não terminou'],
  ] as const) {
    const script = `window.Stripe = () => ({ confirmCardPayment: async () => ${result} })`
    backend.onPath(
      '/provider.js',
      () => new Response(script, { headers: { 'content-type': 'text/javascript' } }),
    )
    await page.goto('/confirmar-pagamento')
    await page.getByRole('button', { name: /^Confirmar R\$/ }).click()
    await expect(page.getByRole('alert')).toContainText(text)
  }
})
