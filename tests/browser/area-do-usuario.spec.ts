import type { Page } from '@playwright/test'
import { accountShows } from './account-page'
import { fits, isAccessible } from './acessibilidade'
import { openedSession, payByCard } from './payment-frame'
import {
  arriveAtUpsell,
  expect,
  ownProduct,
  type Person,
  type Product,
  person,
  signUp,
  takeOffer,
  test,
} from './product'

/** These walk the clock: each has a product of its own. */
const own = test.extend<{ product: Product }>(ownProduct())

const DAY = 86_400
const subscription = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })
const walk = (page: Page, product: Product, days: number) =>
  page.request.post(`${product.sandbox}/clock`, {
    data: { advance_seconds: days * DAY, keep_sessions: true },
  })

async function hasAccount(page: Page): Promise<Person> {
  const who = person()
  await page.goto('/cadastro')
  await page.getByLabel('WhatsApp (opcional)').fill('11987654321')
  await signUp(page, who)
  await page.waitForURL('**/account-confirmation')
  return who
}

/** Finishes the checkout that is open in a tab with a boleto, as the frame would. */
async function issuesBoleto(page: Page, product: Product, offer: string | null) {
  const popup = page.waitForEvent('popup')
  const tab = offer
    ? await takeOffer(page, offer)
    : await page
        .getByRole('button', { name: 'Continuar com o plano mensal' })
        .click()
        .then(() => popup)
  const session = await openedSession(tab)
  expect(await product.act(`checkout/${session}`, { boleto: { tax_id: '529.982.247-25' } })).toBe(200)
  await tab.close()
  await page.waitForURL('**/payment-awaited**')
  return session
}

own(
  'o perfil mostra nomes, Membro desde, email, telefone e Sair; o teste, dias, horas e minutos; depois de 7 dias, sem assinatura ativa',
  async ({ page, product }) => {
    const ana = await hasAccount(page)
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
    // As the sign-up names it.
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
    for (const width of [320, 768, 1280, 390]) await fits(page, width)
    await isAccessible(page)

    await walk(page, product, 7)
    await accountShows(page, page.getByText('Você não tem uma assinatura ativa'))
    await expect(page.getByRole('timer')).toHaveCount(0)
    await isAccessible(page)
    await page.getByRole('link', { name: 'Ver Planos Disponíveis' }).click()
    await page.waitForURL('**/planos')
  },
)

own(
  'boleto: aguarda com o teste ao lado, vence, e Tentar de novo volta ao mesmo plano',
  async ({ page, product }) => {
    await arriveAtUpsell(page, 'Elite', 'Nível 2')
    await issuesBoleto(page, product, 'Semestral')
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
    await isAccessible(page)

    await walk(page, product, 5)
    await accountShows(page, page.getByText('O prazo do seu pagamento acabou'))
    const over = page.getByRole('region', { name: 'O prazo do seu pagamento acabou' })
    await expect(over).toContainText('Não recebemos o pagamento do Elite Nível 2.')
    await isAccessible(page)
    await over.getByRole('button', { name: 'Tentar de novo' }).click()
    await page.waitForURL('**/upsell')
    await expect(page.getByText('Você escolheu o Elite Nível 2.')).toBeVisible()
    await page.goto('/area-usuario')
    await over.getByRole('button', { name: 'Dispensar' }).click()
    await expect(over).toHaveCount(0)
  },
)

own('um checkout aberto e deixado no teste não vira pagamento vencido na área', async ({ page, product }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  const tab = await popup
  const session = await openedSession(tab)
  await tab.close()
  await walk(page, product, 2)
  const status = () => page.request.get(`/session-status?session_id=${session}`).then((read) => read.text())
  await expect.poll(status).toContain('expired')

  await page.goto('/area-usuario')
  const trial = page.getByRole('region', { name: 'Você está no teste grátis' })
  await expect(trial.getByRole('link', { name: /^Concluir assinatura do plano Elite Nível 2/ })).toBeVisible()
  await expect(page.getByText('O prazo do seu pagamento acabou')).toHaveCount(0)
})

own(
  'a renovação por boleto avisa, ainda segura o acesso por poucos dias e depois o suspende',
  async ({ page, product }) => {
    await arriveAtUpsell(page, 'Elite', 'Nível 2')
    const session = await issuesBoleto(page, product, null)
    expect(await product.act(`boletos/${session}/pay`)).toBe(200)
    await page.waitForURL('**/payment-success**', { timeout: 30_000 })
    await page.goto('/area-usuario')
    await expect(subscription(page).getByText('Ativa', { exact: true })).toHaveCSS(
      'background-color',
      'rgb(207, 235, 221)',
    )

    await walk(page, product, 31)
    await accountShows(
      page,
      page.getByText('É a renovação do seu plano. Pague até o vencimento para o acesso continuar.'),
    )
    await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()
    // What is to be paid is the boleto above: no other amount stands beside it, and no plan is changed before it.
    await expect(subscription(page)).toContainText('Pague o boleto para poder mudar de plano.')
    await expect(subscription(page).getByText('Próximo pagamento')).toHaveCount(0)
    await expect(subscription(page).getByRole('button', { name: 'Fazer Upgrade' })).toHaveCount(0)
    await walk(page, product, 4)
    await accountShows(page, page.getByText('Boleto da renovação não pago'))
    await expect(subscription(page)).toContainText(
      'Seu acesso continua por poucos dias: pague para não parar.',
    )
    await expect(subscription(page)).toContainText(
      'O boleto da renovação venceu, e a confirmação do pagamento não chegou.',
    )
    // The day of the next boleto in place of the sentence about a boleto that is not issued yet.
    await expect(subscription(page)).toContainText(
      /O próximo boleto sai em \d\d\/\d\d\. Para pagar antes, use um cartão\./,
    )
    await expect(subscription(page)).not.toContainText('em cerca de uma hora')
    await expect(subscription(page).getByRole('button', { name: 'Pagar com cartão' })).toBeVisible()
    await expect(subscription(page).getByRole('button', { name: 'Atualizar pagamento' })).toHaveCount(0)
    await walk(page, product, 4)
    await accountShows(page, page.getByText('É a renovação do seu plano. Pague para o seu acesso voltar.'))
    await expect(subscription(page).getByText('Inativa', { exact: true })).toHaveCSS(
      'color',
      'rgb(179, 55, 31)',
    )
    await isAccessible(page)
  },
)

own(
  'um pagamento que o provedor ainda não confirmou está em conferência, e a página segue sozinha',
  async ({ page, product }) => {
    await arriveAtUpsell(page, 'Elite', 'Nível 2')
    const session = await openedSession(await takeOffer(page, 'Anual'))
    await product.fails({ webhooks: 'hold' })
    expect(await product.act(`checkout/${session}`, { card: '4242424242424242' })).toBe(200)
    await product.fails({ path: '/v1/subscriptions', method: 'GET', status: 500, times: 1000 })

    await page.goto('/area-usuario')
    const pending = page.getByRole('region', { name: 'Pagamento em conferência' })
    await expect(pending).toContainText('Se você já pagou, não pague de novo.')
    await expect(pending.getByRole('button', { name: 'Conferir agora' })).toBeVisible()
    await expect(page.getByText('Concluir assinatura')).toHaveCount(0)
    await isAccessible(page)

    await product.heals()
    await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible({ timeout: 45_000 })
    await expect(pending).toHaveCount(0)
  },
)

test('o cartão da assinatura mostra plano, status, início, fim, o próximo pagamento e os botões', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await payByCard(await takeOffer(page, 'Trimestral'), '4242424242424242')
  await page.waitForURL('**/payment-success**')
  await page.goto('/area-usuario')

  const card = subscription(page)
  const saoPaulo = (at: Date) =>
    new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' }).format(at)
  const facts = card.getByRole('definition')
  const [today, end] = [saoPaulo(new Date()), saoPaulo(new Date(Date.now() + 90 * DAY * 1000))]
  await expect(facts).toHaveText([
    'Elite Nível 2',
    'Ativa',
    'Trimestral',
    /^R\$\s522,96$/,
    today,
    end,
    new RegExp(`^R\\$\\s522,96 em ${end}$`),
  ])
  await expect(card).toContainText('No cartão da sua assinatura.')
  await expect(card.getByRole('link', { name: 'Acessar o App' })).toHaveAttribute('href', /garimpo=app/)
  await expect(card.getByRole('button')).toHaveText([
    'Fazer Upgrade',
    'Gerenciar Plano',
    'Cancelar assinatura',
  ])
  for (const width of [320, 768, 1280, 390]) await fits(page, width)
  await isAccessible(page)
})

own(
  'cancelada no portal, a assinatura vale até o fim do período; depois terminou, e a área leva aos planos',
  async ({ page, product }) => {
    await arriveAtUpsell(page, 'Elite', 'Nível 2')
    await payByCard(await takeOffer(page, 'Trimestral'), '4242424242424242')
    await page.waitForURL('**/payment-success**')
    await page.goto('/area-usuario')
    await subscription(page).getByRole('button', { name: 'Gerenciar Plano' }).click()
    // The portal's button, which has the name of ours.
    await page.waitForURL(`${product.sandbox}/**`)
    await page.getByRole('button', { name: 'Cancelar assinatura' }).click()
    await accountShows(page, page.getByText('Sua assinatura termina em'))
    await expect(subscription(page).getByRole('button', { name: 'Desfazer cancelamento' })).toBeVisible()
    await expect(subscription(page).getByText('Ativa', { exact: true })).toBeVisible()

    await walk(page, product, 91)
    await accountShows(page, page.getByText('Sua assinatura terminou'))
    await expect(subscription(page)).toContainText('O acesso ao Elite Nível 2 acabou.')
    await expect(subscription(page).getByText('Inativa', { exact: true })).toBeVisible()
    await isAccessible(page)
    await subscription(page).getByRole('link', { name: 'Ver Planos Disponíveis' }).click()
    await page.waitForURL('**/planos')
  },
)
