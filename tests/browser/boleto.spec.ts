import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from './accessibility'
import { issueBoleto, paymentFrame } from './payment-frame'
import {
  arriveAtUpsell,
  buyByApi,
  choosePlan,
  createSubscriber,
  expect,
  storeElitePlan,
  takeOffer,
  test,
  waitForUserRecord,
} from './product'

test('an issued boleto awaits payment and activates the subscription when paid', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  await issueBoleto(tab)

  // The voucher opens in the whole tab, on the provider's origin.
  await expect(tab.getByRole('button', { name: 'Simular pagamento' })).toBeVisible()
  await page.waitForURL('**/payment-awaited**')
  await expect(page.getByText(/\d{5}\.\d{5} \d{5}\.\d{6} \d{5}\.\d{6} \d \d{14}/)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Ver boleto' })).toBeVisible()
  await expect(page.getByText('Enviar Comprovante')).toBeVisible()

  const area = await page.context().newPage()
  await area.goto('/area-usuario')
  await expect(area.getByText('Aguardando pagamento').first()).toBeVisible()
  await expect(area.getByRole('link', { name: 'Ver boleto (em nova aba)', exact: true })).toBeVisible()

  // Another choice first shows the open boleto, before the offers.
  await choosePlan(area, 'Elite', 'Nível 2')
  await area.waitForURL('**/upsell')
  const notice = area.getByRole('region', { name: 'Você tem um boleto aberto' })
  await expect(notice.getByRole('link', { name: 'Ver boleto' })).toBeVisible()
  const otherWay = notice.getByRole('button', { name: 'Pagar de outro jeito' })
  await otherWay.click()
  // The boleto stays visible above the offers, because it is still valid.
  await expect(notice).toContainText('Ele vale até você pagar de outro jeito')
  await expect(notice.getByRole('link', { name: 'Ver boleto' })).toBeVisible()
  await expect(otherWay).toHaveCount(0)
  // The next checkout does not ask again.
  const another = await takeOffer(area, 'Anual')
  await expect(paymentFrame(another).getByLabel('Número do cartão')).toBeVisible()
  await expect(another.getByText('Você está no teste grátis')).toBeVisible()
  await expect(another.getByText('Você tem um boleto aberto')).toHaveCount(0)
  await another.close()
  await area.waitForURL('**/payment-canceled**')
  await expect(notice.getByText('Além dele, nada foi cobrado.', { exact: false })).toBeVisible()
  await area.goto('/area-usuario')

  await tab.getByRole('button', { name: 'Simular pagamento' }).click()
  await page.waitForURL('**/payment-success**', { timeout: 30_000 })
  await area.reload()
  await expect(area.getByText('Ativa', { exact: true })).toBeVisible()
})

test('the canceled and the waiting page without a session show an open boleto and follow its payment', async ({
  page,
  product,
}) => {
  const who = await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await page.goto('/payment-awaited')
  await expect(page.getByRole('heading', { name: 'Não encontramos este pagamento' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Ver minha conta' })).toHaveAttribute('href', '/area-usuario')
  await expect(page.getByRole('link', { name: 'Ver planos' })).toHaveAttribute('href', '/planos')
  // Countdown and receipt link show for any state of the payment.
  await expect(page.getByRole('timer')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Enviar Comprovante' })).toHaveAttribute(
    'href',
    /text=.*comprovante/,
  )
  await page.goto('/payment-canceled')
  await expect(page.getByText('Nenhuma cobrança foi feita.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Você tem um boleto aberto' })).toHaveCount(0)

  await buyByApi(page, product, who, 'Elite Nível 2', { interval: 'semestral', by: 'open boleto' })
  await page.goto('/payment-canceled')
  const notice = page.getByRole('region', { name: 'Você tem um boleto aberto' })
  await expect(notice).toContainText(
    /De R\$\s871,60, com vencimento em \d{2}\/\d{2}\/\d{4}.*Além dele, nada foi cobrado\./,
  )
  await expect(page.getByRole('link', { name: 'Retomar assinatura' })).toBeVisible()
  const voucher = page.waitForEvent('popup')
  await notice.getByRole('link', { name: 'Ver boleto' }).click()

  await page.goto('/payment-awaited')
  await expect(page.getByRole('heading', { name: 'Aguardando pagamento' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Boleto' })).toContainText('R$ 871,60')
  await (await voucher).getByRole('button', { name: 'Simular pagamento' }).click()
  await page.waitForURL('**/payment-success', { timeout: 30_000 })
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
  await page.goto('/payment-awaited')
  await expect(page.getByRole('heading', { name: 'Sua assinatura está ativa' })).toBeVisible()
})

test('plans, offers and checkout state that the days of a boleto count from its issue', async ({ page }) => {
  const rule = /e os dias contam da emissão: pague logo\./
  await page.goto('/planos')
  await page.getByText('Quais são as formas de pagamento?').click()
  await expect(page.getByText(rule)).toBeVisible()
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await expect(page.getByText(rule)).toBeVisible()
  const checkout = await takeOffer(page, 'Semestral')
  await expect(checkout.getByText(rule)).toBeVisible()
})

test('the checkout shows an open boleto until the person chooses another way to pay', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2', { by: 'open boleto' })
  await choosePlan(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/upsell')
  const open = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  const checkout = await open
  const notice = checkout.getByRole('region', { name: 'Você tem um boleto aberto' })
  await expect(notice).toContainText('Não pague os dois.')
  await notice.getByRole('button', { name: 'Pagar de outro jeito' }).click()
  await expect(notice).toHaveCount(0)
  await checkout.reload()
  await expect(paymentFrame(checkout).getByLabel('Número do cartão')).toBeVisible()
  await expect(notice).toHaveCount(0)
})

const openBoleto = (page: Page) =>
  page.getByText(/^Você tem um boleto aberto do Elite\sNível\s2, de R\$\s217,90/)

test('plans and landing pages show an open boleto with a link to it', async ({ page, product }) => {
  const { session } = await createSubscriber(page, product, 'Elite Nível 2', { by: 'open boleto' })
  await storeElitePlan(page)
  await page.goto('/account-confirmation')
  await expect(page.getByText('Seu boleto espera o pagamento.')).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Ver boleto' })).toHaveAttribute(
    'href',
    '/area-usuario',
  )
  await expect(page.getByRole('main').getByRole('link', { name: /^Concluir/ })).toHaveCount(0)
  for (const path of ['/planos', '/', '/promo-landing']) {
    await page.goto(path)
    await expect(openBoleto(page), path).toContainText(
      /com vencimento em \d{2}\/\d{2}\/\d{4}\. Se você pagar de outro jeito, ele é cancelado\. Não pague os dois\./,
    )
    await expect(page.getByText('Você tinha escolhido'), path).toHaveCount(0)
  }
  await page.goto('/planos')
  await expect(openBoleto(page)).toBeVisible()
  await expect(page.getByText('Escolha como continuar')).toHaveCount(0)
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Ver boleto' }).click()
  await page.waitForURL('**/area-usuario')

  expect(await product.postToSandbox(`boletos/${session}/pay`)).toBe(200)
  await waitForUserRecord(page, (user) => user.subscription_active === true)
  await page.goto('/planos')
  await expect(page.getByRole('link', { name: 'Ver minha assinatura' })).toBeVisible()
  await expect(openBoleto(page)).toHaveCount(0)
})
