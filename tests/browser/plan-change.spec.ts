import type { Page, Request } from '@playwright/test'
import { ChangePlanRequestSchema } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { expectAccessible, expectFits } from './accessibility'
import { dialog } from './account-page'
import { clients, messageOf } from './calls'
import { createSubscriber, expect, type Product, test } from './product'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

const subscription = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })
const invoices = (page: Page) => page.getByRole('region', { name: 'Faturas', exact: true })
const alert = (page: Page) => dialog(page).getByRole('alert')

/** Opens the plan change dialog and previews a plan. */
async function openPreview(page: Page, plan: string, interval?: string) {
  await subscription(page).getByRole('button', { name: 'Fazer Upgrade' }).click()
  await previewPlan(page, plan, interval)
}

async function previewPlan(page: Page, plan: string, interval?: string) {
  await dialog(page).getByRole('radio', { name: plan }).check()
  if (interval) await dialog(page).getByRole('radio', { name: interval }).check()
  await dialog(page).getByRole('button', { name: 'Ver valores' }).click()
  await expect(dialog(page).getByRole('heading', { name: 'Confira a mudança' })).toBeVisible()
}

/** The amounts of the bill in the dialog, from top to bottom, in centavos. */
async function readBill(page: Page): Promise<number[]> {
  const amounts = await dialog(page)
    .locator('dl[aria-label="Conta da mudança"]')
    .getByRole('definition')
    .allInnerTexts()
  return amounts.map((amount) => Number(amount.replaceAll(/[^\d,-]/g, '').replace(',', '')))
}

/** The last invoice of the provider: its lines, its total and the amount paid. */
async function readLastInvoice(product: Product): Promise<{ lines: number[]; total: number; paid: number }> {
  interface Invoice {
    lines: { data: { amount: number }[] }
    total: number
    amount_paid: number
  }
  const { data } = await product.readFromProvider<{ data: Invoice[] }>('/v1/invoices?limit=1')
  const [{ lines, total, amount_paid: paid }] = data as [Invoice]
  return { lines: lines.data.map((line) => line.amount), total, paid }
}

/** The total of the preview, as shown. */
async function readAmount(page: Page, label: string): Promise<string> {
  const total = dialog(page).locator('dl > div').filter({ hasText: label }).getByRole('definition')
  await expect(total).toHaveText(/^R\$\s[\d.]+,\d\d$/)
  return (await total.innerText()).replaceAll(/\s/g, ' ')
}

test('an upgrade charges the previewed amount, a downgrade becomes credit, and the account shows both', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2')
  await page.goto('/area-usuario')
  const open = subscription(page).getByRole('button', { name: 'Fazer Upgrade' })

  await open.click()
  await expect(dialog(page).getByRole('radio', { name: /Afiliado|Elite/ })).toHaveCount(13)
  await expect(dialog(page).getByRole('radio', { name: 'Mensal' })).toBeFocused()
  await expect(dialog(page).getByRole('radio', { name: 'Elite Nível 2 Seu plano' })).toBeChecked()
  await dialog(page).getByRole('button', { name: 'Ver valores' }).click()
  await expect(alert(page)).toContainText('Este já é o seu plano.')
  await dialog(page).getByRole('radio', { name: 'Elite PRO 1' }).check()
  await expect(
    dialog(page).getByText('Grupos ilimitados de WhatsApp e Telegram (hoje 20)', { exact: true }),
  ).toBeVisible()
  await expect(alert(page)).toHaveCount(0)
  for (const width of [320, 390, 1280]) await expectFits(page, width)
  await expectAccessible(page, 'dialog')
  await page.keyboard.press('Escape')
  await expect(open).toBeFocused()

  await openPreview(page, 'Elite Nível 3')
  await expect(dialog(page).getByText('Tempo não usado do Elite Nível 2')).toBeVisible()
  await expect(dialog(page).getByText(/^Elite Nível 3 até \d\d\/\d\d\/\d{4}$/)).toBeVisible()
  await expect(dialog(page).getByText(/A partir daí, R\$\s247,90\/mês/)).toBeVisible()
  await expect(dialog(page).getByText(/^O período atual vai até \d\d\/\d\d\/\d{4}\./)).toBeVisible()
  await expectAccessible(page, 'dialog')
  const due = await readAmount(page, 'Você paga agora')
  const [unused = 0, rest = 0, total] = await readBill(page)
  expect([unused < 0, unused + rest]).toEqual([true, total])
  const confirm = dialog(page).getByRole('button', { name: `Mudar e pagar ${due}` })
  await confirm.click()
  const news = page.getByText('Seu plano agora é o Elite Nível 3')
  await expect(news).toBeVisible()
  await expect(page.getByRole('status').filter({ has: news })).toBeFocused()
  await expect(page.getByRole('status').filter({ has: news })).toContainText(`Cobramos ${due}.`)
  await expect(subscription(page).getByText('Elite Nível 3', { exact: true })).toBeVisible()
  const charged = invoices(page).getByRole('listitem').filter({ hasText: 'Mudança de plano' })
  await expect(charged).toContainText(due)
  expect(await readLastInvoice(product)).toEqual({ lines: [unused, rest], total, paid: total })
  await expectAccessible(page)

  await openPreview(page, 'Top Afiliado')
  const credit = await readAmount(page, 'Vira crédito')
  const [back = 0, less = 0, kept] = await readBill(page)
  expect(back + less).toBe(-(kept ?? 0))
  await dialog(page)
    .getByRole('button', { name: `Mudar e receber ${credit} de crédito` })
    .click()
  await expect(page.getByText('Seu plano agora é o Top Afiliado')).toBeVisible()
  expect(await readLastInvoice(product)).toEqual({ lines: [back, less], total: back + less, paid: 0 })
  await expect(page.getByText(`Nada foi cobrado. Você tem ${credit} de crédito`)).toBeVisible()
  const facts = subscription(page)
  await expect(facts.getByText(/^R\$\s0,00 em \d\d\/\d\d\/\d{4} \(o crédito cobre\)$/)).toBeVisible()
  await expect(facts.getByText(credit, { exact: true })).toBeVisible()
  await expect(invoices(page).getByText(`Crédito de ${credit}`)).toBeVisible()
})

test('a declined card shows the reason of the bank, changes nothing and leads to another card', async ({
  page,
  product,
}) => {
  // Test card that is declined at each charge after the first.
  await createSubscriber(page, product, 'Elite Nível 1', { by: '4000000000000341' })
  await page.goto('/area-usuario')
  await openPreview(page, 'Elite Nível 3', 'Trimestral')
  await dialog(page)
    .getByRole('button', { name: /^Mudar e pagar R\$/ })
    .click()

  await expect(alert(page)).toContainText('Seu plano continua como estava, e nada foi cobrado.')
  await expectAccessible(page, 'dialog')
  await dialog(page).getByRole('button', { name: 'Trocar o cartão' }).click()
  await page.waitForURL(`${product.sandbox}/portal/**`)

  // The choice is kept while the portal is open, and used once.
  await page.getByRole('link', { name: 'Voltar ao site' }).click()
  await page.waitForURL(`${product.url}/area-usuario`)
  await expect(dialog(page).getByRole('heading', { name: 'Mudar de plano' })).toBeVisible()
  await expect(dialog(page).getByRole('radio', { name: 'Elite Nível 3' })).toBeChecked()
  await expect(dialog(page).getByRole('radio', { name: 'Trimestral' })).toBeChecked()
  await dialog(page).getByRole('button', { name: 'Voltar' }).click()
  await page.goto('/area-usuario')
  await expect(subscription(page).getByText('Elite Nível 1', { exact: true })).toBeVisible()
  await expect(invoices(page).getByText('Mudança de plano')).toHaveCount(0)
  await expect(dialog(page)).toHaveCount(0)
})

test('a change of the period alone states the new period at the end', async ({ page, product }) => {
  await createSubscriber(page, product, 'Elite Nível 1')
  await page.goto('/area-usuario')
  await openPreview(page, 'Elite Nível 1', 'Anual')
  await expect(dialog(page).getByText(/^O novo período vai até \d\d\/\d\d\/\d{4}\./)).toBeVisible()
  await dialog(page)
    .getByRole('button', { name: /^Mudar e pagar R\$/ })
    .click()
  await expect(page.getByText('Seu plano agora é o Elite Nível 1, anual', { exact: true })).toBeVisible()
})

test('an expired preview is made again, and after a provider failure the same request is repeated', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 1')
  await page.goto('/area-usuario')
  const asked: Request[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/ChangePlan')) asked.push(request)
  })
  await openPreview(page, 'Elite Nível 2')
  // A change in another tab makes the preview expire.
  await clients(page).billing.cancelSubscription({})
  const confirm = dialog(page).getByRole('button', { name: /^Mudar e pagar R\$/ })
  await confirm.click()
  await expect(
    dialog(page).getByRole('status').filter({ hasText: 'Os valores abaixo são os de agora' }),
  ).toBeVisible()

  await product.injectFault({ path: '/v1/subscriptions', method: 'POST', status: 500 })
  await confirm.click()
  await expect(alert(page)).toContainText('O serviço de pagamento não respondeu. Sua escolha está guardada')
  await product.clearFaults()
  // A double click makes one call.
  await confirm.dblclick()
  await expect(page.getByText('Seu plano agora é o Elite Nível 2')).toBeVisible()

  expect(asked).toHaveLength(3)
  const [first, second, third] = await Promise.all(
    asked.map((request) => messageOf(request, ChangePlanRequestSchema)),
  )
  expect(second?.previewToken).not.toBe(first?.previewToken)
  expect(third).toEqual(second)
  await expect(invoices(page).getByRole('listitem').filter({ hasText: 'Mudança de plano' })).toHaveCount(1)
})

test('a boleto subscriber adds a card for an upgrade, and downgrades at once', async ({ page, product }) => {
  await createSubscriber(page, product, 'Elite Nível 2', { by: 'boleto' })
  await page.goto('/area-usuario')
  await openPreview(page, 'Elite Nível 3')
  await expect(alert(page)).toContainText('Sua assinatura é paga por boleto')
  await expect(dialog(page).getByRole('button', { name: /^Mudar/ })).toHaveCount(0)
  await expect(dialog(page).getByRole('button', { name: 'Cadastrar um cartão' })).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Voltar' }).click()

  await previewPlan(page, 'Elite Nível 1')
  await dialog(page)
    .getByRole('button', { name: /^Mudar e receber R\$/ })
    .click()
  await expect(page.getByText('Seu plano agora é o Elite Nível 1')).toBeVisible()
})

test('a change that the bank asks to confirm is confirmed on its page or given up', async ({
  page,
  product,
}) => {
  // Test card that requires authentication at each payment.
  await createSubscriber(page, product, 'Elite Nível 2', { by: '4000002760003184' })
  await page.goto('/area-usuario')
  const pays = () => dialog(page).getByRole('button', { name: /^Mudar e pagar R\$/ })
  await openPreview(page, 'Elite Nível 3')
  await pays().click()
  await expect(dialog(page)).toContainText('Até lá, nada é cobrado e seu plano continua o mesmo.')
  for (const width of [320, 390, 1280]) await expectFits(page, width)
  await expectAccessible(page, 'dialog')
  await dialog(page).getByRole('button', { name: 'Confirmar depois' }).click()

  await expect(subscription(page)).toContainText(/Você pode confirmar até \d\d\/\d\d\/\d{4} às \d\d:\d\d\./)
  await expect(subscription(page).getByText('Elite Nível 2', { exact: true })).toBeVisible()
  for (const width of [320, 390, 1280]) await expectFits(page, width)
  await expectAccessible(page)
  await subscription(page).getByRole('button', { name: 'Desistir da mudança' }).click()
  await expect(page.getByText('A mudança não foi feita')).toBeVisible()
  await expect(subscription(page).getByRole('button', { name: 'Desistir da mudança' })).toHaveCount(0)

  await openPreview(page, 'Elite Nível 3')
  const due = await readAmount(page, 'Você paga agora')
  await pays().click()
  await dialog(page)
    .getByRole('link', { name: `Confirmar ${due} no banco` })
    .click()
  await page.waitForURL('**/confirmar-pagamento')
  await expect(page.getByText(`Para cobrar ${due} da mudança para o plano Elite Nível 3`)).toBeVisible()
  await page.getByRole('button', { name: `Confirmar ${due}` }).click()
  await page
    .frameLocator('iframe[name="bank-authentication"]')
    .getByRole('button', { name: 'Autorizar' })
    .click()

  await expect(page.getByRole('status')).toContainText('Seu plano agora é o Elite Nível 3.')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Ver minha conta' }).click()
  await expect(subscription(page).getByText('Elite Nível 3', { exact: true })).toBeVisible()
  await expect(invoices(page).getByRole('listitem').filter({ hasText: 'Mudança de plano' })).toContainText(
    due,
  )
})
