import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from './accessibility'
import { waitUntilAccountShows } from './account-page'
import { waitForCheckoutSession } from './payment-frame'
import {
  arriveAtUpsell,
  createSubscriber,
  expect,
  newPerson,
  type Person,
  type Product,
  productPerTest,
  signUp,
  takeOffer,
  test,
} from './product'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

/** These tests advance the clock, so each has its own product. */
const isolatedTest = test.extend<{ product: Product }>(productPerTest())

const DAY = 86_400
const subscription = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })
const advanceClock = (page: Page, product: Product, days: number) =>
  page.request.post(`${product.sandbox}/clock`, {
    data: { advance_seconds: days * DAY, keep_sessions: true },
  })

async function signUpWithPhone(page: Page): Promise<Person> {
  const who = newPerson()
  await page.goto('/cadastro')
  await page.getByLabel('WhatsApp (opcional)').fill('11987654321')
  await signUp(page, who)
  await page.waitForURL('**/account-confirmation')
  return who
}

isolatedTest(
  'the account shows the profile and the trial countdown, and no active subscription after 7 days',
  async ({ page, product }) => {
    const ana = await signUpWithPhone(page)
    await page.goto('/area-usuario')

    const profile = page.getByRole('region', { name: 'Perfil' })
    await expect(profile.getByRole('heading', { name: 'Ana Maria Souza' })).toBeVisible()
    for (const [term, value] of [
      ['Nome', 'Ana'],
      ['Sobrenome', 'Maria Souza'],
      ['Email', ana.email],
      ['WhatsApp', '(11) 98765-4321'],
    ] as const)
      await expect(profile.getByRole('definition').filter({ hasText: value }).first(), term).toBeVisible()
    // The same label as on the sign-up.
    await expect(profile.getByRole('term')).toHaveText(['Nome', 'Sobrenome', 'Email', 'WhatsApp'])
    const today = new Intl.DateTimeFormat('pt-BR', {
      timeZone: 'America/Sao_Paulo',
      dateStyle: 'short',
    }).format(new Date())
    expect(today).toMatch(/^\d{2}\/\d{2}\/\d{4}$/)
    await expect(profile.getByText(`Membro desde ${today}`)).toBeVisible()
    await expect(profile.getByRole('button', { name: 'Sair' })).toBeVisible()
    await expect(profile.getByText('AS', { exact: true })).toBeVisible()

    const trial = page.getByRole('region', { name: 'Você está no teste grátis' })
    await expect(trial.getByRole('timer')).toHaveText(/^06dias23horas5\dmin$/)
    await expect(trial.getByRole('link', { name: 'Acessar o App' })).toHaveAttribute('href', /garimpo=app/)
    await expect(subscription(page)).toHaveCount(0)
    for (const width of [320, 390, 768, 1280]) await expectFits(page, width)
    await expectAccessible(page)

    await advanceClock(page, product, 7)
    await waitUntilAccountShows(page, page.getByText('Você não tem uma assinatura ativa'))
    await expect(page.getByRole('timer')).toHaveCount(0)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Ver Planos Disponíveis' }).click()
    await page.waitForURL('**/planos')
  },
)

isolatedTest(
  'a boleto is pending beside the trial, then expires, and can be tried again with the same plan',
  async ({ page, product }) => {
    await createSubscriber(page, product, 'Elite Nível 2', { interval: 'semestral', by: 'open boleto' })
    await page.goto('/area-usuario')

    const boleto = page.getByRole('region', { name: 'Boleto aguardando pagamento' })
    await expect(boleto).toContainText('O plano é liberado quando o banco confirmar, em até um dia útil.')
    await expect(boleto.getByText('R$ 871,60')).toBeVisible()
    await expect(boleto.getByRole('link', { name: 'Ver boleto' })).toBeVisible()
    await expect(boleto.getByRole('link', { name: 'Enviar Comprovante' })).toHaveAttribute(
      'href',
      /wa\.me|whatsapp/,
    )
    await expect(subscription(page).getByText('Aguardando pagamento', { exact: true })).toBeVisible()
    const trial = page.getByRole('region', { name: 'Você está no teste grátis' })
    await expect(trial).toContainText(
      'Enquanto o pagamento não chega, o plano Profissional está liberado para você.',
    )
    await expect(trial.getByRole('timer')).toContainText('dias')
    await expectAccessible(page)

    await advanceClock(page, product, 5)
    await waitUntilAccountShows(page, page.getByText('O prazo do seu pagamento acabou'))
    const over = page.getByRole('region', { name: 'O prazo do seu pagamento acabou' })
    await expect(over).toContainText('Não recebemos o pagamento do Elite Nível 2.')
    await expectAccessible(page)
    await over.getByRole('button', { name: 'Tentar de novo' }).click()
    await page.waitForURL('**/upsell')
    await expect(page.getByText('Você escolheu o Elite Nível 2.')).toBeVisible()
    await page.goto('/area-usuario')
    await over.getByRole('button', { name: 'Dispensar' }).click()
    await expect(over).toHaveCount(0)
  },
)

isolatedTest(
  'a checkout abandoned in the trial is not shown as an expired payment',
  async ({ page, product }) => {
    await arriveAtUpsell(page, 'Elite', 'Nível 2')
    const popup = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
    const tab = await popup
    const session = await waitForCheckoutSession(tab)
    await tab.close()
    await advanceClock(page, product, 2)
    const status = () => page.request.get(`/session-status?session_id=${session}`).then((read) => read.text())
    await expect.poll(status).toContain('expired')

    await page.goto('/area-usuario')
    const trial = page.getByRole('region', { name: 'Você está no teste grátis' })
    await expect(
      trial.getByRole('link', { name: /^Concluir assinatura do plano Elite Nível 2/ }),
    ).toBeVisible()
    await expect(page.getByText('O prazo do seu pagamento acabou')).toHaveCount(0)
  },
)

isolatedTest(
  'a boleto renewal is announced, keeps the access for the grace period, then suspends it',
  async ({ page, product }) => {
    await createSubscriber(page, product, 'Elite Nível 2', { by: 'boleto' })
    await page.goto('/area-usuario')
    await expect(subscription(page).getByText('Ativa', { exact: true })).toHaveCSS(
      'background-color',
      'rgb(28, 58, 45)',
    )

    await advanceClock(page, product, 31)
    await waitUntilAccountShows(
      page,
      page.getByText('É a renovação do seu plano. Pague até o vencimento para o acesso continuar.'),
    )
    await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()
    // Only the boleto above is due: no other amount is shown, and no plan change is offered before
    // it.
    await expect(subscription(page)).toContainText('Pague o boleto para poder mudar de plano.')
    await expect(subscription(page).getByText('Próximo pagamento')).toHaveCount(0)
    await expect(subscription(page).getByRole('button', { name: 'Fazer Upgrade' })).toHaveCount(0)
    await advanceClock(page, product, 4)
    await waitUntilAccountShows(page, page.getByText('Boleto da renovação não pago'))
    await expect(subscription(page)).toContainText(
      'Seu acesso continua por poucos dias: pague para não parar.',
    )
    await expect(subscription(page)).toContainText(
      'O boleto da renovação venceu, e a confirmação do pagamento não chegou.',
    )
    // The date of the next boleto replaces the sentence about a boleto that is not issued yet.
    await expect(subscription(page)).toContainText(
      /O próximo boleto sai em \d\d\/\d\d\. Para pagar antes, use um cartão\./,
    )
    await expect(subscription(page)).not.toContainText('em cerca de uma hora')
    await expect(subscription(page).getByRole('button', { name: 'Pagar com cartão' })).toBeVisible()
    await expect(subscription(page).getByRole('button', { name: 'Atualizar pagamento' })).toHaveCount(0)
    await advanceClock(page, product, 4)
    await waitUntilAccountShows(
      page,
      page.getByText('É a renovação do seu plano. Pague para o seu acesso voltar.'),
    )
    await expect(subscription(page).getByText('Inativa', { exact: true })).toHaveCSS(
      'color',
      'rgb(244, 168, 150)',
    )
    await expectAccessible(page)
  },
)

isolatedTest(
  'a payment that the provider has not confirmed is shown as pending, and the page updates itself',
  async ({ page, product }) => {
    await arriveAtUpsell(page, 'Elite', 'Nível 2')
    const session = await waitForCheckoutSession(await takeOffer(page, 'Anual'))
    await product.injectFault({ webhooks: 'hold' })
    expect(await product.postToSandbox(`checkout/${session}`, { card: '4242424242424242' })).toBe(200)
    await product.injectFault({ path: '/v1/subscriptions', method: 'GET', status: 500, times: 1000 })

    await page.goto('/area-usuario')
    const pending = page.getByRole('region', { name: 'Pagamento em conferência' })
    await expect(pending).toContainText('Se você já pagou, não pague de novo.')
    await expect(pending.getByRole('button', { name: 'Conferir agora' })).toBeVisible()
    await expect(page.getByText('Concluir assinatura')).toHaveCount(0)
    await expectAccessible(page)

    await product.clearFaults()
    await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible({ timeout: 45_000 })
    await expect(pending).toHaveCount(0)
  },
)

test('the subscription card shows plan, status, price, dates, the next payment and the buttons', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2', { interval: 'trimestral' })
  await page.goto('/area-usuario')

  const card = subscription(page)
  const saoPaulo = (at: Date) =>
    new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' }).format(at)
  const facts = card.getByRole('definition')
  const [today, end] = [saoPaulo(new Date()), saoPaulo(new Date(Date.now() + 90 * DAY * 1000))]
  await expect(facts).toHaveText([
    'Elite Nível 2',
    'Ativa',
    new RegExp(`^R\\$\\s522,96 em ${end}$`),
    today,
    end,
    'Trimestral',
    /^R\$\s522,96$/,
  ])
  await expect(card).toContainText('No seu cartão.')
  await expect(card.getByRole('link', { name: 'Acessar o App' })).toHaveAttribute('href', /garimpo=app/)
  await expect(card.getByRole('button')).toHaveText([
    'Fazer Upgrade',
    'Gerenciar Plano',
    'Cancelar assinatura',
  ])
  for (const width of [320, 390, 768, 1280]) await expectFits(page, width)
  await expectAccessible(page)
})

isolatedTest(
  'a subscription canceled in the portal lasts its period; then the account leads to the plans',
  async ({ page, product }) => {
    await createSubscriber(page, product, 'Elite Nível 2', { interval: 'trimestral' })
    await page.goto('/area-usuario')
    await subscription(page).getByRole('button', { name: 'Gerenciar Plano' }).click()
    // The button of the portal has the same name as ours.
    await page.waitForURL(`${product.sandbox}/**`)
    await page.getByRole('button', { name: 'Cancelar assinatura' }).click()
    await waitUntilAccountShows(page, page.getByText('Sua assinatura termina em'))
    await expect(subscription(page).getByRole('button', { name: 'Desfazer cancelamento' })).toBeVisible()
    await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()

    await advanceClock(page, product, 91)
    await waitUntilAccountShows(page, page.getByText('Sua assinatura terminou'))
    await expect(subscription(page)).toContainText('O acesso ao Elite Nível 2 acabou.')
    await expect(subscription(page).getByText('Inativa', { exact: true })).toBeVisible()
    await expectAccessible(page)
    await subscription(page).getByRole('link', { name: 'Ver Planos Disponíveis' }).click()
    await page.waitForURL('**/planos')
  },
)
