import type { Page } from '@playwright/test'
import { boxOf, expectAccessible, expectFits } from './accessibility'
import { dialog, waitUntilAccountShows } from './account-page'
import { payByCard, waitForCheckoutSession } from './payment-frame'
import {
  arriveAtUpsell,
  changePlan,
  createAccount,
  createSubscriber,
  expect,
  type Product,
  productPerTest,
  takeOffer,
  test,
} from './product'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

const subscription = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })
const invoices = (page: Page) => page.getByRole('region', { name: 'Faturas', exact: true })
const dateInDays = (days: number) =>
  new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' }).format(
    new Date(Date.now() + days * 86_400_000),
  )

test('a cancellation shows the end of the access, has an optional reason and can be undone', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2')
  await page.goto('/area-usuario')
  const open = subscription(page).getByRole('button', { name: 'Cancelar assinatura' })
  await open.click()
  await expect(dialog(page)).toContainText(`Seu acesso ao Elite Nível 2 continua até ${dateInDays(30)}.`)
  await expect(dialog(page).getByLabel('Por que você está cancelando? (opcional)')).toHaveValue('')
  for (const width of [320, 390, 1280]) await expectFits(page, width)
  await expectAccessible(page, 'dialog')
  await dialog(page).getByRole('button', { name: 'Voltar' }).click()
  await expect(open).toBeFocused()

  await open.click()
  await dialog(page).getByLabel('Por que você está cancelando? (opcional)').selectOption('Uso pouco')
  await dialog(page).getByLabel('Quer contar mais? (opcional)').fill('Volto em janeiro.')
  await product.injectFault({ path: '/v1/subscriptions', method: 'POST', status: 500 })
  await dialog(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
  await expect(dialog(page).getByRole('alert')).toContainText(
    'Seu pedido está guardado: cancelamos assim que ele responder',
  )
  await product.clearFaults()
  await dialog(page).getByRole('button', { name: 'Cancelar assinatura' }).click()

  const ending = subscription(page).getByText(`Sua assinatura termina em ${dateInDays(30)}`)
  await expect(ending).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Cancelamento feito' })).toBeFocused()
  await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()
  await expect(subscription(page).getByText('Próximo pagamento')).toHaveCount(0)
  await expect(open).toHaveCount(0)
  await expectAccessible(page)

  await subscription(page).getByRole('button', { name: 'Desfazer cancelamento' }).click()
  await expect(page.getByText('Sua assinatura continua')).toBeVisible()
  await expect(ending).toHaveCount(0)
  await expect(subscription(page).getByText(new RegExp(`^R\\$\\s217,90 em ${dateInDays(30)}$`))).toBeVisible()
  await expect(open).toBeVisible()
})

test('a card refund in the guarantee shows amount, deadline, end of access and protocol, also by email', async ({
  page,
  context,
  product,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { who } = await createSubscriber(page, product, 'Elite Nível 2', { interval: 'trimestral' })
  await page.goto('/area-usuario')
  await page
    .getByRole('region', { name: 'Garantia de 7 dias' })
    .getByRole('button', { name: 'Pedir reembolso' })
    .click()
  await expect(dialog(page)).toContainText(/Você recebe de volta\s*R\$\s522,96/)
  await expect(dialog(page)).toContainText('No mesmo cartão. Costuma aparecer em 5 a 10 dias úteis.')
  await expect(dialog(page)).toContainText('Seu acesso ao Elite Nível 2 termina agora')
  // Bought in the trial, which has not ended.
  await expect(dialog(page)).toContainText('O teste grátis também não volta.')
  await expectAccessible(page, 'dialog')
  await dialog(page)
    .getByRole('button', { name: /^Receber R\$\s522,96 de volta$/ })
    .click()

  const news = page.getByRole('status').filter({ hasText: 'O protocolo está abaixo e também no seu email.' })
  await expect(news).toContainText(/Reembolso (pedido|pago)/)
  const refund = page.getByRole('region', { name: /^Reembolso (em andamento|pago)$/ })
  const protocol = await refund.getByRole('definition').last().innerText()
  await refund.getByRole('button', { name: 'Copiar protocolo' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(protocol)
  await expect(subscription(page)).toContainText('Sua assinatura terminou')
  // An ended subscription shows no price and one link to the plans.
  await expect(subscription(page).getByText('Preço do plano')).toHaveCount(0)
  await expect(subscription(page).getByText('Fazer Upgrade')).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Garantia de 7 dias' })).toHaveCount(0)
  await expectAccessible(page)
  await expect
    .poll(async () => {
      const mails = (await (await page.request.get(`${product.sandbox}/mail.json`)).json()) as {
        to: string
        text: string
      }[]
      return mails.some((mail) => mail.to.includes(who.email) && mail.text.includes(protocol))
    })
    .toBe(true)

  // The provider refunds without another call. The invoice shows it too.
  const paid = page.getByRole('region', { name: 'Reembolso pago' })
  await expect(paid).toBeVisible()
  await expect(news).toContainText('Reembolso pago')
  await expect(page.getByText('Reembolso pedido')).toHaveCount(0)
  await waitUntilAccountShows(page, paid.filter({ hasText: protocol }))
  await expect(invoices(page).getByText('Devolvida')).toBeVisible()
})

test('a boleto refund in the guarantee is by Pix within 30 days, to the email of the subscription', async ({
  page,
  product,
}) => {
  const { who } = await createSubscriber(page, product, 'Top Afiliado', { by: 'boleto' })
  await page.goto('/area-usuario')
  await subscription(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
  // The cancellation dialog also offers the guarantee.
  await dialog(page).getByRole('button', { name: 'Pedir reembolso' }).click()
  await expect(dialog(page)).toContainText(`Por Pix, em até 30 dias. A chave Pix precisa ser ${who.email}`)
  await dialog(page)
    .getByRole('button', { name: /^Receber R\$\s97,90 de volta$/ })
    .click()

  const refund = page.getByRole('region', { name: 'Reembolso em andamento' })
  await expect(refund).toContainText(`O valor chega por Pix até ${dateInDays(30)}.`)
  await expect(refund.getByRole('definition').last()).toHaveText(/^\d{4}-\d{4}-\d{4}$/)
  await page.reload()
  await expect(refund).toContainText(/R\$\s97,90/)
})

test('invoices show date, reason, amount, method and status, with a receipt and a button for more', async ({
  page,
  product,
  pageErrors,
}) => {
  await createAccount(page)
  await page.goto('/area-usuario')
  await expect(invoices(page)).toContainText('Nenhuma fatura ainda.')

  await createSubscriber(page, product, 'Elite PRO 1')
  // Each change creates an invoice.
  for (const plan of ['elite_pro_2', 'elite_pro_1', 'elite_pro_2', 'elite_pro_1', 'elite_pro_2'])
    await changePlan(page, plan)
  await page.route('**/ListInvoices', (route) => route.abort())
  await page.goto('/area-usuario')
  await expect(invoices(page)).toContainText('Não conseguimos buscar suas faturas.')
  pageErrors.expect(/ERR_FAILED .*ListInvoices/)
  await page.unroute('**/ListInvoices')
  await invoices(page).getByRole('button', { name: 'Tentar novamente' }).click()

  const rows = invoices(page).getByRole('listitem')
  await expect(rows).toHaveCount(5)
  await invoices(page).getByRole('button', { name: 'Carregar mais' }).click()
  await expect(rows).toHaveCount(6)
  await expect(invoices(page).getByRole('button', { name: 'Carregar mais' })).toHaveCount(0)
  await expect(rows.nth(5)).toBeFocused()
  // After the return from a receipt the list is read again and keeps its length.
  const again = page.waitForResponse('**/ListInvoices')
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await again
  await expect(rows).toHaveCount(6)
  // Found by name, because the six may have the same second.
  const first = rows.filter({ hasText: 'Compra' })
  for (const said of ['Compra', dateInDays(0), 'Elite PRO 1, Mensal', 'Paga', 'Cartão'])
    await expect(first).toContainText(said)
  await expect(first).toContainText(/R\$\s297,90/)
  for (const width of [320, 390, 768, 1280]) await expectFits(page, width)
  await expectAccessible(page)
  const receipt = page.waitForEvent('popup')
  await first.getByRole('link', { name: /^Ver recibo/ }).click()
  await expect((await receipt).getByText(/297,90/).first()).toBeVisible()
  expect(await (await receipt).evaluate(() => window.opener)).toBeNull()
})

test('an open boleto has a line to copy and a barcode, in the account and on the waiting page', async ({
  page,
  context,
  product,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { session } = await createSubscriber(page, product, 'Elite Nível 2', { by: 'open boleto' })
  for (const address of ['/area-usuario', `/payment-awaited?session_id=${session}`]) {
    await page.goto(address)
    const slip = page.getByRole('region', { name: 'Boleto', exact: true })
    const line = (await slip.getByText(/^\d{5}\.\d{5} /).innerText()).replaceAll(/\D/g, '')
    await slip.getByRole('button', { name: 'Copiar código' }).click()
    await expect(page.getByText('Código copiado')).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(line)
    await expect(slip.getByRole('img', { name: 'Código de barras do boleto' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Ver boleto' }).first()).toHaveAttribute(
      'href',
      new RegExp(`^${product.sandbox}`),
    )
    await expectAccessible(page)
  }
  const open = await page.goto('/area-usuario').then(() => invoices(page).getByRole('listitem'))
  for (const said of ['Em aberto', 'Boleto', 'Ver boleto']) await expect(open).toContainText(said)
  // Unpaid: no receipt, and its one link stands in one line beside the amount.
  await expect(open.getByRole('link')).toHaveText(['Ver boleto'])
  await page.setViewportSize({ width: 1280, height: 800 })
  const [amount, paper] = await Promise.all([boxOf(open.getByText(/R\$/)), boxOf(open.getByRole('link'))])
  expect(paper.x).toBeGreaterThanOrEqual(amount.right + 8)
  expect(paper.height).toBeLessThan(40)
  await subscription(page).waitFor()
})

/** Charges a purchase in the trial at the end of the trial. */
const trialEndChargeTest = test.extend<{ product: Product }>(
  productPerTest({ GARIMPO_TRIAL_PURCHASE: 'at_trial_end' }),
)

trialEndChargeTest(
  'with the first charge at the end of the trial, each page states that nothing is paid today',
  async ({ page }) => {
    await arriveAtUpsell(page, 'Elite', 'Nível 2')
    await expect(
      page.getByText(/hoje você não paga nada: a primeira cobrança vem em \d\d\/\d\d\/\d{4} às \d\d:\d\d/),
    ).toBeVisible()
    await expect(page.getByRole('link', { name: 'Continuar no teste grátis' })).toHaveAttribute(
      'href',
      '/account-confirmation',
    )
    const tab = await takeOffer(page, 'Anual')
    await waitForCheckoutSession(tab)
    const summary = tab.getByRole('complementary', { name: 'Resumo' })
    await expect(summary).toContainText(/Primeira cobrança, em \d\d\/\d\d\/\d{4}\s*R\$\s1\.307,40/)
    await expect(summary).toContainText(/Cobrado hoje\s*R\$\s0,00/)
    await expectAccessible(page)

    await payByCard(tab, '4242424242424242')
    await page.waitForURL('**/payment-success**')
    await expect(page.getByRole('heading', { name: 'Assinatura confirmada!' })).toBeVisible()
    await expect(page.getByText('Hoje nada foi cobrado.')).toBeVisible()
    await expect(page.getByText('Valor pago')).toHaveCount(0)
    await page.goto('/area-usuario')
    await expect(
      page.getByText('Seu plano já está contratado, e a primeira cobrança vem quando o teste acabar.'),
    ).toBeVisible()
    await expect(page.getByText('Concluir assinatura')).toHaveCount(0)
    await expectAccessible(page)
    // A cancellation is possible before the first charge too.
    await subscription(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
    await dialog(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Nada mais será cobrado.' })).toBeFocused()
    await expect(subscription(page).getByText('Sua assinatura está cancelada')).toBeVisible()
  },
)
