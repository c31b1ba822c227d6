import type { Page } from '@playwright/test'
import { accountShows } from './account-page'
import { boxOf, fits, isAccessible } from './acessibilidade'
import { openedSession, payByCard } from './payment-frame'
import {
  arriveAtUpsell,
  changesPlan,
  expect,
  joins,
  ownProduct,
  type Product,
  subscribes,
  takeOffer,
  test,
} from './product'

const subscription = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })
const invoices = (page: Page) => page.getByRole('region', { name: 'Faturas', exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const saoPaulo = (days: number) =>
  new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' }).format(
    new Date(Date.now() + days * 86_400_000),
  )

test('cancelar diz até quando vai o acesso, pergunta o motivo sem exigir, e se desfaz', async ({
  page,
  product,
}) => {
  await subscribes(page, product, 'Elite Nível 2')
  await page.goto('/area-usuario')
  const open = subscription(page).getByRole('button', { name: 'Cancelar assinatura' })
  await open.click()
  await expect(dialog(page)).toContainText(`Seu acesso ao Elite Nível 2 continua até ${saoPaulo(30)}.`)
  await expect(dialog(page).getByLabel('Por que você está cancelando? (opcional)')).toHaveValue('')
  for (const width of [320, 1280, 390]) await fits(page, width)
  await isAccessible(page, 'dialog')
  await dialog(page).getByRole('button', { name: 'Voltar' }).click()
  await expect(open).toBeFocused()

  await open.click()
  await dialog(page).getByLabel('Por que você está cancelando? (opcional)').selectOption('Uso pouco')
  await dialog(page).getByLabel('Quer contar mais? (opcional)').fill('Volto em janeiro.')
  await product.fails({ path: '/v1/subscriptions', method: 'POST', status: 500 })
  await dialog(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
  await expect(dialog(page).getByRole('alert')).toContainText(
    'Seu pedido está guardado: cancelamos assim que ele responder',
  )
  await product.heals()
  await dialog(page).getByRole('button', { name: 'Cancelar assinatura' }).click()

  const ending = subscription(page).getByText(`Sua assinatura termina em ${saoPaulo(30)}`)
  await expect(ending).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Cancelamento feito' })).toBeFocused()
  await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()
  await expect(subscription(page).getByText('Próximo pagamento')).toHaveCount(0)
  await expect(open).toHaveCount(0)
  await isAccessible(page)

  await subscription(page).getByRole('button', { name: 'Desfazer cancelamento' }).click()
  await expect(page.getByText('Sua assinatura continua')).toBeVisible()
  await expect(ending).toHaveCount(0)
  await expect(subscription(page).getByText(new RegExp(`^R\\$\\s217,90 em ${saoPaulo(30)}$`))).toBeVisible()
  await expect(open).toBeVisible()
})

test('na garantia, o cartão devolve tudo: valor, prazo, fim do acesso e protocolo, na página e por email', async ({
  page,
  context,
  product,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { who } = await subscribes(page, product, 'Elite Nível 2', { interval: 'trimestral' })
  await page.goto('/area-usuario')
  await page
    .getByRole('region', { name: 'Garantia de 7 dias' })
    .getByRole('button', { name: 'Pedir reembolso' })
    .click()
  await expect(dialog(page)).toContainText(/Você recebe de volta\s*R\$\s522,96/)
  await expect(dialog(page)).toContainText('No mesmo cartão. Costuma aparecer em 5 a 10 dias úteis.')
  await expect(dialog(page)).toContainText('Seu acesso ao Elite Nível 2 termina agora')
  // Bought in the trial, which would still run.
  await expect(dialog(page)).toContainText('O teste grátis também não volta.')
  await isAccessible(page, 'dialog')
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
  // What is over has no price, and one way to another plan.
  await expect(subscription(page).getByText('Preço do plano')).toHaveCount(0)
  await expect(subscription(page).getByText('Fazer Upgrade')).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Garantia de 7 dias' })).toHaveCount(0)
  await isAccessible(page)
  await expect
    .poll(async () => {
      const mails = (await (await page.request.get(`${product.sandbox}/mail.json`)).json()) as {
        to: string
        text: string
      }[]
      return mails.some((mail) => mail.to.includes(who.email) && mail.text.includes(protocol))
    })
    .toBe(true)

  // The provider gives it back by itself; the invoice says so too.
  const paid = page.getByRole('region', { name: 'Reembolso pago' })
  await expect(paid).toBeVisible()
  await expect(news).toContainText('Reembolso pago')
  await expect(page.getByText('Reembolso pedido')).toHaveCount(0)
  await accountShows(page, paid.filter({ hasText: protocol }))
  await expect(invoices(page).getByText('Devolvida')).toBeVisible()
})

test('na garantia, o boleto volta por Pix em 30 dias para o email da assinatura', async ({
  page,
  product,
}) => {
  const { who } = await subscribes(page, product, 'Top Afiliado', { by: 'boleto' })
  await page.goto('/area-usuario')
  await subscription(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
  // Who cancels is told of the guarantee too.
  await dialog(page).getByRole('button', { name: 'Pedir reembolso' }).click()
  await expect(dialog(page)).toContainText(`Por Pix, em até 30 dias. A chave Pix precisa ser ${who.email}`)
  await dialog(page)
    .getByRole('button', { name: /^Receber R\$\s97,90 de volta$/ })
    .click()

  const refund = page.getByRole('region', { name: 'Reembolso em andamento' })
  await expect(refund).toContainText(`O valor chega por Pix até ${saoPaulo(30)}.`)
  await expect(refund.getByRole('definition').last()).toHaveText(/^\d{4}-\d{4}-\d{4}$/)
  await page.reload()
  await expect(refund).toContainText(/R\$\s97,90/)
})

test('as faturas dizem data, motivo, valor, forma e estado, com recibo e Carregar mais', async ({
  page,
  product,
  complaints,
}) => {
  await joins(page)
  await page.goto('/area-usuario')
  await expect(invoices(page)).toContainText('Nenhuma fatura ainda.')

  await subscribes(page, product, 'Elite PRO 1')
  // Back and forth: each is an invoice.
  for (const plan of ['elite_pro_2', 'elite_pro_1', 'elite_pro_2', 'elite_pro_1', 'elite_pro_2'])
    await changesPlan(page, plan)
  await page.route('**/ListInvoices', (route) => route.abort())
  await page.goto('/area-usuario')
  await expect(invoices(page)).toContainText('Não conseguimos buscar suas faturas.')
  complaints.expect(/ERR_FAILED .*ListInvoices/)
  await page.unroute('**/ListInvoices')
  await invoices(page).getByRole('button', { name: 'Tentar novamente' }).click()

  const rows = invoices(page).getByRole('listitem')
  await expect(rows).toHaveCount(5)
  await invoices(page).getByRole('button', { name: 'Carregar mais' }).click()
  await expect(rows).toHaveCount(6)
  await expect(invoices(page).getByRole('button', { name: 'Carregar mais' })).toHaveCount(0)
  await expect(rows.nth(5)).toBeFocused()
  // Back from a receipt in another tab: read again, and no shorter.
  const again = page.waitForResponse('**/ListInvoices')
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await again
  await expect(rows).toHaveCount(6)
  // By its name: the six may be of one second.
  const first = rows.filter({ hasText: 'Compra' })
  for (const said of ['Compra', saoPaulo(0), 'Elite PRO 1, Mensal', 'Paga', 'Cartão'])
    await expect(first).toContainText(said)
  await expect(first).toContainText(/R\$\s297,90/)
  for (const width of [320, 768, 1280, 390]) await fits(page, width)
  await isAccessible(page)
  const receipt = page.waitForEvent('popup')
  await first.getByRole('link', { name: /^Ver recibo/ }).click()
  await expect((await receipt).getByText(/297,90/).first()).toBeVisible()
  expect(await (await receipt).evaluate(() => window.opener)).toBeNull()
})

test('na fatura, o plano que não cabe ao lado da data fica abaixo dela, sem ponto solto', async ({
  page,
  product,
}) => {
  await subscribes(page, product, 'Elite Nível 1')
  await page.goto('/area-usuario')
  const row = invoices(page).getByRole('listitem').first()
  /** Where the letters of a part begin. */
  const start = (text: string) =>
    row.getByText(text, { exact: true }).evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      const { left, top } = range.getClientRects()[0] ?? new DOMRect()
      return { left: Math.round(left), top: Math.round(top) }
    })
  await expect(row).toContainText('Compra')
  await expect(row).not.toContainText('·')
  const parts = async () => [await start(saoPaulo(0)), await start('Elite Nível 1, Mensal')] as const

  await page.setViewportSize({ width: 1280, height: 900 })
  const [date, plan] = await parts()
  expect(plan.top).toBe(date.top)
  expect(plan.left).toBeGreaterThan(date.left)
  await fits(page, 320)
  const [above, below] = await parts()
  expect(below.top).toBeGreaterThan(above.top)
  expect([above.left, below.left]).toEqual(Array(2).fill((await start('Compra')).left))
})

test('o boleto que espera tem linha que se copia e código de barras, na área e em aguardando pagamento', async ({
  page,
  context,
  product,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { session } = await subscribes(page, product, 'Elite Nível 2', { by: 'open boleto' })
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
    await isAccessible(page)
  }
  const open = await page.goto('/area-usuario').then(() => invoices(page).getByRole('listitem'))
  for (const said of ['Em aberto', 'Boleto', 'Ver boleto']) await expect(open).toContainText(said)
  // Nothing was paid: no receipt, and the one paper stands in one line beside the amount.
  await expect(open.getByRole('link')).toHaveText(['Ver boleto'])
  await page.setViewportSize({ width: 1280, height: 800 })
  const [amount, paper] = await Promise.all([boxOf(open.getByText(/R\$/)), boxOf(open.getByRole('link'))])
  expect(paper.x).toBeGreaterThanOrEqual(amount.right + 8)
  expect(paper.height).toBeLessThan(40)
  await subscription(page).waitFor()
})

/** Sells with the first charge at the end of the trial. */
const later = test.extend<{ product: Product }>(ownProduct({ GARIMPO_TRIAL_PURCHASE: 'at_trial_end' }))

later(
  'com a primeira cobrança no fim do teste, ofertas, checkout, confirmação e área dizem que hoje nada se paga',
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
    await openedSession(tab)
    const summary = tab.getByRole('complementary', { name: 'Resumo' })
    await expect(summary).toContainText(/Primeira cobrança, em \d\d\/\d\d\/\d{4}\s*R\$\s1\.307,40/)
    await expect(summary).toContainText(/Cobrado hoje\s*R\$\s0,00/)
    await isAccessible(page)

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
    await isAccessible(page)
    // Cancelling is there before the first charge too.
    await subscription(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
    await dialog(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Nada mais será cobrado.' })).toBeFocused()
    await expect(subscription(page).getByText('Sua assinatura está cancelada')).toBeVisible()
  },
)
