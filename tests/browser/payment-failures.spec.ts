import type { Page } from '@playwright/test'
import { payByCard, paymentFrame, waitForCheckoutSession } from './payment-frame'
import { arriveAtUpsell, expect, type Person, type Product, productPerTest, takeOffer, test } from './product'

const card = { card: '4242424242424242' }

/** Opens another checkout of the same account, as a second tab does. Returns its session. */
async function openAnotherCheckout(page: Page, who: Person, planName: string): Promise<string> {
  const answer = await page.request.post('/create-embedded-checkout-session', {
    data: { email: who.email, planName, interval: 'mensal' },
  })
  const { clientSecret } = (await answer.json()) as { clientSecret: string }
  return clientSecret.split('_secret_')[0] ?? ''
}

test('the second of two payments is refunded, and the page states that instead of a confirmation', async ({
  page,
  product,
}) => {
  const who = await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const first = await openAnotherCheckout(page, who, 'Top Afiliado')
  const tab = await takeOffer(page, 'Semestral')
  await waitForCheckoutSession(tab)
  await product.injectFault({ webhooks: 'hold' })
  expect(await product.postToSandbox(`checkout/${first}`, card)).toBe(200)

  await payByCard(tab, card.card)

  await page.waitForURL('**/payment-success**')
  await expect(page.getByRole('heading', { name: 'Você já tinha uma assinatura ativa' })).toBeVisible()
  await expect(page.getByText('este pagamento foi devolvido')).toBeVisible()
  await expect(page.getByText('871,60')).toBeVisible()
  await expect(page.getByText('Pagamento confirmado!')).toHaveCount(0)
  await expect.poll(() => tab.isClosed()).toBe(true)
  await product.clearFaults()
  await page.getByRole('link', { name: 'Ver minha conta' }).click()
  await expect(page.getByText('Top Afiliado').first()).toBeVisible()
})

test('without the provider the checkout shows the error, and another try opens the form', async ({
  page,
  product,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 1')
  await product.injectFault({ path: '/v1/checkout/sessions', method: 'POST', drop: true })

  const tab = await takeOffer(page, 'Anual')

  await expect(
    tab.getByText('Ocorreu um erro ao configurar o checkout. Por favor, tente novamente mais tarde.'),
  ).toBeVisible()
  await expect(
    tab.getByText('Não foi possível configurar o checkout. Tente novamente mais tarde.'),
  ).toBeVisible()
  await product.clearFaults()
  await tab.getByRole('button', { name: 'Tentar novamente' }).click()
  await payByCard(tab, card.card)
  await page.waitForURL('**/payment-success**')
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
})

test('an authentication refused at the bank shows the reason, and an authorized one pays', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 3')
  const tab = await takeOffer(page, 'Trimestral')
  const frame = paymentFrame(tab)

  await payByCard(tab, '4000000000003220')
  await frame.getByRole('button', { name: 'Recusar' }).click()
  await expect(frame.getByRole('alert')).toContainText('Não foi possível autenticar o pagamento no seu banco')
  await frame.getByRole('button', { name: 'Assinar' }).click()
  const panel = frame.getByRole('region', { name: 'O seu banco pede uma confirmação' })
  for (const width of [320, 390]) {
    await tab.setViewportSize({ width, height: 844 })
    await expect
      .poll(() => panel.evaluate((box) => box.scrollWidth <= box.clientWidth), `${width} px`)
      .toBe(true)
  }
  await frame.getByRole('button', { name: 'Autorizar' }).click()

  await page.waitForURL('**/payment-success**')
})

test('an expired session leads to the plans with a notice', async ({ page, product }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const session = await waitForCheckoutSession(await takeOffer(page, 'Anual'))
  await page.request.post(`${product.sandbox}/v1/checkout/sessions/${session}/expire`, {
    headers: { authorization: 'Bearer sk_test_garimpo' },
  })

  await page.goto(`/checkout-return?session_id=${session}`)

  await page.waitForURL('**/planos')
  await expect(page.getByText('Sua sessão de pagamento expirou. Escolha o plano novamente.')).toBeVisible()
})

const isolatedTest = test.extend<{ product: Product }>(productPerTest())

isolatedTest('an expired boleto is not awaited forever', async ({ page, product }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const session = await waitForCheckoutSession(await takeOffer(page, 'Semestral'))
  expect(await product.postToSandbox(`checkout/${session}`, { boleto: { tax_id: '529.982.247-25' } })).toBe(
    200,
  )
  await page.goto(`/payment-awaited?session_id=${session}`)
  await expect(page.getByRole('link', { name: 'Ver boleto' })).toBeVisible()

  await page.request.post(`${product.sandbox}/clock`, {
    data: { advance_seconds: 5 * 86_400, keep_sessions: true },
  })

  await expect(page.getByRole('heading', { name: 'O prazo deste pagamento acabou' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Voltar aos planos' })).toBeVisible()
})
