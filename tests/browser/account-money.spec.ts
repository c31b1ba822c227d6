import type { Page } from '@playwright/test'
import { expectAccessible } from './accessibility'
import { dialog, waitUntilAccountShows } from './account-page'
import { clients } from './calls'
import { issueBoleto, waitForCheckoutSession } from './payment-frame'
import {
  arriveAtUpsell,
  buyByApi,
  changePlan,
  createSubscriber,
  expect,
  type Product,
  productPerTest,
  takeOffer,
  test,
  waitForUserRecord,
} from './product'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

/** These tests advance the clock, so each has its own product. */
const isolatedTest = test.extend<{ product: Product }>(productPerTest())

const DAY = 86_400
const subscription = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })
const invoices = (page: Page) => page.getByRole('region', { name: 'Faturas', exact: true })

const advanceClock = (page: Page, product: Product, seconds: number) =>
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

isolatedTest(
  'the next payment is what the credit leaves, and a cancellation states that the credit stays',
  async ({ page, product }) => {
    await createSubscriber(page, product, 'Elite Nível 3')
    await changePlan(page, 'top_afiliado')
    await page.goto('/area-usuario')
    await expect(
      subscription(page).getByText(/^R\$\s0,00 em \d\d\/\d\d\/\d{4} \(o crédito cobre\)$/),
    ).toBeVisible()
    const credit = await centavosOf(page, 'Crédito')

    await advanceClock(page, product, 31 * DAY)
    const left = credit - 9_790
    await waitUntilAccountShows(page, page.getByText(new RegExp(`^${reais(9_790 - left).source} em `)))
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

isolatedTest(
  'a purchase with credit states in its confirmation that the next charge includes the credit',
  async ({ page, product }) => {
    const { who } = await createSubscriber(page, product, 'Elite Nível 3')
    await changePlan(page, 'top_afiliado')
    await clients(page).billing.cancelSubscription({})
    await advanceClock(page, product, 31 * DAY)
    await waitForUserRecord(page, (user) => user.subscription_active === false)

    const session = await buyByApi(page, product, who, 'Top Afiliado')
    await page.goto(`/payment-success?session_id=${session}`)

    await expect(page.getByRole('definition').filter({ hasText: ' em ' })).toHaveText(
      /^R\$\s\d+,\d\d em \d\d\/\d\d\/\d{4}, já com o seu crédito$/,
    )
  },
)

test('after a refund the open page no longer shows the credit, and the invoices show the refund', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 3')
  await changePlan(page, 'top_afiliado')
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

isolatedTest(
  'a renewal by boleto asks for no boleto before its issue; once suspended, paying restores access',
  async ({ page, product }) => {
    await createSubscriber(page, product, 'Top Afiliado', { by: 'boleto' })
    await advanceClock(page, product, 30 * DAY + 600)
    await waitUntilAccountShows(
      page,
      page.getByText('O boleto aparece aqui e no seu email em cerca de uma hora'),
    )
    await expect(page.getByText('Pague o boleto')).toHaveCount(0)

    await advanceClock(page, product, DAY)
    await waitUntilAccountShows(
      page,
      page.getByText('É a renovação do seu plano. Pague até o vencimento para o acesso continuar.'),
    )
    await expect(subscription(page)).toContainText('Pague o boleto para poder mudar de plano.')

    await advanceClock(page, product, 7 * DAY)
    await waitForUserRecord(page, (user) => user.subscription_status === 'suspended')
    await waitUntilAccountShows(page, page.getByText('Pague para o seu acesso voltar.'))
    await expect(page.getByRole('region', { name: 'Seu acesso está suspenso' })).toBeVisible()
    await expect(page.getByText('para o acesso continuar')).toHaveCount(0)
    await expect(subscription(page).getByText('Boleto da renovação não pago')).toHaveCount(0)
    await expectAccessible(page)
  },
)

test('a boleto that is paid while only the account is open clears the chosen plan and the checkout', async ({
  page,
  product,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 1')
  const tab = await takeOffer(page, 'Anual')
  const session = await waitForCheckoutSession(tab)
  await issueBoleto(tab)
  await page.waitForURL('**/payment-awaited**')
  await tab.close()
  await page.goto('/area-usuario')
  await expect(page.getByRole('region', { name: 'Boleto aguardando pagamento' })).toBeVisible()
  const kept = () =>
    page.evaluate(() => [localStorage.getItem('selectedPlan'), localStorage.getItem('checkoutClientSecret')])
  expect((await kept()).every(Boolean)).toBe(true)

  expect(await product.postToSandbox(`boletos/${session}/pay`)).toBe(200)
  await waitForUserRecord(page, (user) => user.subscription_status === 'active')
  await page.reload()
  await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()
  expect(await kept()).toEqual([null, null])
})

/** The clock starts in the last days of the campaign. */
const lateNovemberTest = test.extend<{ product: Product }>(
  productPerTest({ GARIMPO_BLACK_NOVEMBER: 'auto', GARIMPO_SANDBOX_CLOCK: '2027-11-26T12:00:00Z' }),
)

lateNovemberTest(
  'a trial begun at the end of Black November states, where its price is, that the offer ends first',
  async ({ page }) => {
    await arriveAtUpsell(page, 'Elite', 'Nível 1')
    const said = 'Os preços da Black November valem até 30/11/2027, antes de o seu teste grátis acabar.'
    await expect(page.getByText(said)).toBeVisible()
    // The plan was stored without the campaign's coupon, as before the campaign.
    await expect(page.getByText('R$ 97,90 no 1º mês, depois R$ 197,90 por mês')).toBeVisible()
    await expectAccessible(page)
    await page.goto('/area-usuario')
    await expect(page.getByRole('region', { name: 'Você está no teste grátis' })).toContainText(said)
    await page.goto('/account-confirmation')
    await expect(page.getByText(said)).toBeVisible()

    // The price of a kept coupon does not end with the campaign.
    await page.goto('/planos?promo=maria')
    const elite = page.getByRole('region', { name: 'Elite', exact: true })
    await elite.getByRole('tab', { name: 'Nível 2' }).click()
    await expect(elite.getByText('Com o cupom MARIA')).toBeVisible()
    await elite.getByRole('button', { name: 'Assinar Agora' }).click()
    await page.waitForURL('**/upsell')
    await expect(page.getByRole('region', { name: 'Seu cupom' })).toBeVisible()
    await expect(page.getByText(said)).toHaveCount(0)

    // The campaign does not lower the price of the plan chosen now.
    await page.goto('/area-usuario')
    const trial = page.getByRole('region', { name: 'Você está no teste grátis' })
    await expect(
      trial.getByRole('link', { name: 'Concluir assinatura do plano Elite Nível 2' }),
    ).toBeVisible()
    await expect(page.getByText(said)).toHaveCount(0)
  },
)
