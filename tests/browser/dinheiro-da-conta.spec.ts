import type { Page } from '@playwright/test'
import { accountShows } from './account-page'
import { isAccessible } from './acessibilidade'
import { clients } from './chamadas'
import { issueBoleto, openedSession } from './payment-frame'
import {
  arriveAtUpsell,
  becomes,
  buys,
  changesPlan,
  expect,
  ownProduct,
  type Product,
  subscribes,
  takeOffer,
  test,
} from './product'

/** These walk the clock: each has a product of its own. */
const own = test.extend<{ product: Product }>(ownProduct())

const DAY = 86_400
const subscription = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })
const invoices = (page: Page) => page.getByRole('region', { name: 'Faturas', exact: true })
const dialog = (page: Page) => page.getByRole('dialog')

const walk = (page: Page, product: Product, seconds: number) =>
  page.request.post(`${product.sandbox}/clock`, { data: { advance_seconds: seconds, keep_sessions: true } })

/** The value of a fact of the subscription, in centavos. */
async function centavosOf(page: Page, fact: string): Promise<number> {
  const value = subscription(page)
    .locator('dl > div')
    .filter({ has: page.getByText(fact, { exact: true }) })
    .getByRole('definition')
  return Number((await value.innerText()).match(/[\d.]+,\d\d/)?.[0].replaceAll(/\D/g, ''))
}

const reais = (centavos: number) => new RegExp(`R\\$\\s${(centavos / 100).toFixed(2).replace('.', ',')}`)

own(
  'o próximo pagamento é o que o crédito deixa para pagar, e quem cancela lê o que é do crédito',
  async ({ page, product }) => {
    await subscribes(page, product, 'Elite Nível 3')
    await changesPlan(page, 'top_afiliado')
    await page.goto('/area-usuario')
    await expect(
      subscription(page).getByText(/^R\$\s0,00 em \d\d\/\d\d\/\d{4} \(o crédito cobre\)$/),
    ).toBeVisible()
    const credit = await centavosOf(page, 'Crédito')

    await walk(page, product, 31 * DAY)
    const left = credit - 9_790
    await accountShows(page, page.getByText(new RegExp(`^${reais(9_790 - left).source} em `)))
    await expect(subscription(page)).toContainText(
      new RegExp(`O valor já conta com o seu crédito de ${reais(left).source}\\.`),
    )

    await subscription(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
    await expect(dialog(page)).toContainText(new RegExp(`Seu crédito de ${reais(left).source} fica na conta`))
    await dialog(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
    await expect(subscription(page)).toContainText(
      'Seu crédito fica na conta: se você assinar de novo, ele é usado primeiro.',
    )
    await expect(subscription(page)).not.toContainText('próximas cobranças')
  },
)

own(
  'quem compra com crédito lê na confirmação que a próxima cobrança já conta com ele',
  async ({ page, product }) => {
    const { who } = await subscribes(page, product, 'Elite Nível 3')
    await changesPlan(page, 'top_afiliado')
    await clients(page).billing.cancelSubscription({})
    await walk(page, product, 31 * DAY)
    await becomes(page, (user) => user.subscription_active === false)

    const session = await buys(page, product, who, 'Top Afiliado')
    await page.goto(`/payment-success?session_id=${session}`)

    await expect(page.getByRole('definition').filter({ hasText: ' em ' })).toHaveText(
      /^R\$\s\d+,\d\d em \d\d\/\d\d\/\d{4}, já com o seu crédito$/,
    )
  },
)

test('depois do reembolso a página aberta não promete mais o crédito, e as faturas dizem o que voltou', async ({
  page,
  product,
}) => {
  await subscribes(page, product, 'Elite Nível 3')
  await changesPlan(page, 'top_afiliado')
  await page.goto('/area-usuario')
  await expect(invoices(page).getByText('Creditado', { exact: true })).toBeVisible()
  await page
    .getByRole('region', { name: 'Garantia de 7 dias' })
    .getByRole('button', { name: 'Pedir reembolso' })
    .click()
  await expect(dialog(page)).toContainText('O crédito de mudanças de plano acaba junto.')
  await dialog(page)
    .getByRole('button', { name: /^Receber/ })
    .click()

  await expect(subscription(page)).toContainText('Sua assinatura terminou')
  await expect(subscription(page).getByText('Crédito', { exact: true })).toHaveCount(0)
  await expect(invoices(page).getByText('Encerrado')).toBeVisible()
  await expect(invoices(page).getByText('Creditado', { exact: true })).toHaveCount(0)
  await expect(invoices(page).getByText('Devolvida')).toBeVisible({ timeout: 20_000 })
  await expect(invoices(page).getByText('Paga', { exact: true })).toHaveCount(0)
})

own(
  'a renovação por boleto não pede um boleto que ainda não há, e suspensa diz só que pagar devolve o acesso',
  async ({ page, product }) => {
    await subscribes(page, product, 'Top Afiliado', { by: 'boleto' })
    await walk(page, product, 30 * DAY + 600)
    await accountShows(page, page.getByText('O boleto aparece aqui e no seu email em cerca de uma hora'))
    await expect(page.getByText('Pague o boleto')).toHaveCount(0)

    await walk(page, product, DAY)
    await accountShows(
      page,
      page.getByText('É a renovação do seu plano. Pague até o vencimento para o acesso continuar.'),
    )
    await expect(subscription(page)).toContainText('Pague o boleto para poder mudar de plano.')

    await walk(page, product, 7 * DAY)
    await becomes(page, (user) => user.subscription_status === 'suspended')
    await accountShows(page, page.getByText('Pague para o seu acesso voltar.'))
    await expect(page.getByRole('region', { name: 'Seu acesso está suspenso' })).toBeVisible()
    await expect(page.getByText('para o acesso continuar')).toHaveCount(0)
    await expect(subscription(page).getByText('Boleto da renovação não pago')).toHaveCount(0)
    await isAccessible(page)
  },
)

test('o boleto pago com a compra vista só na área não deixa para trás o plano escolhido nem o checkout', async ({
  page,
  product,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 1')
  const tab = await takeOffer(page, 'Anual')
  const session = await openedSession(tab)
  await issueBoleto(tab)
  await page.waitForURL('**/payment-awaited**')
  await tab.close()
  await page.goto('/area-usuario')
  await expect(page.getByRole('region', { name: 'Boleto aguardando pagamento' })).toBeVisible()
  const kept = () =>
    page.evaluate(() => [localStorage.getItem('selectedPlan'), localStorage.getItem('checkoutClientSecret')])
  expect((await kept()).every(Boolean)).toBe(true)

  expect(await product.act(`boletos/${session}/pay`)).toBe(200)
  await becomes(page, (user) => user.subscription_status === 'active')
  await page.reload()
  await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()
  expect(await kept()).toEqual([null, null])
})

test('quem cancela porque está caro vê um plano mais barato, que abre já escolhido', async ({
  page,
  product,
}) => {
  await subscribes(page, product, 'Elite Nível 3')
  await page.goto('/area-usuario')
  await subscription(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
  const why = dialog(page).getByLabel('Por que você está cancelando? (opcional)')
  await why.selectOption('Uso pouco')
  const take = dialog(page).getByRole('button', { name: /^Mudar para o Top Afiliado, R\$\s97,90\/mês$/ })
  await expect(take).toHaveCount(0)
  await why.selectOption('Está caro para mim')
  await expect(take).toBeVisible()
  await isAccessible(page, 'dialog')
  await take.click()
  await expect(dialog(page).getByRole('heading', { name: 'Mudar de plano' })).toBeVisible()
  await expect(dialog(page).getByRole('radio', { name: 'Top Afiliado' })).toBeChecked()
  await dialog(page).getByRole('button', { name: 'Ver valores' }).click()
  await expect(dialog(page).getByText('Vira crédito')).toBeVisible()
})

/** Begins in the last days of the campaign. */
const lateNovember = test.extend<{ product: Product }>(
  ownProduct({ GARIMPO_BLACK_NOVEMBER: 'auto', GARIMPO_SANDBOX_CLOCK: '2027-11-26T12:00:00Z' }),
)

lateNovember(
  'quem começa o teste no fim da Black November lê que a oferta acaba antes dele, onde o preço dela está',
  async ({ page }) => {
    await arriveAtUpsell(page, 'Elite', 'Nível 1')
    const said = 'Os preços da Black November valem até 30/11/2027, antes de o seu teste grátis acabar.'
    await expect(page.getByText(said)).toBeVisible()
    // The plan was stored without the campaign's coupon, as before the campaign.
    await expect(page.getByText('R$ 97,90 no 1º mês, depois R$ 197,90 por mês')).toBeVisible()
    await isAccessible(page)
    await page.goto('/area-usuario')
    await expect(page.getByRole('region', { name: 'Você está no teste grátis' })).toContainText(said)
    await page.goto('/account-confirmation')
    await expect(page.getByText(said)).toBeVisible()

    // The price of a kept coupon does not end with the campaign.
    await page.goto('/planos?promo=maria')
    const elite = page.getByRole('region', { name: 'Elite', exact: true })
    await elite.getByRole('tab', { name: 'Nível 2', exact: true }).click()
    await expect(elite.getByText('Com o cupom MARIA')).toBeVisible()
    await elite.getByRole('button', { name: 'Assinar Agora' }).click()
    await page.waitForURL('**/upsell')
    await expect(page.getByRole('region', { name: 'Seu cupom' })).toBeVisible()
    await expect(page.getByText(said)).toHaveCount(0)

    // The campaign does not lower the plan that is chosen now.
    await page.goto('/area-usuario')
    const trial = page.getByRole('region', { name: 'Você está no teste grátis' })
    await expect(
      trial.getByRole('link', { name: 'Concluir assinatura do plano Elite Nível 2' }),
    ).toBeVisible()
    await expect(page.getByText(said)).toHaveCount(0)
  },
)
