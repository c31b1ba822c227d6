import type { Page } from '@playwright/test'
import { SignUpRequestSchema } from '../../web/src/gen/garimpo/auth/v1/auth_service_pb'
import { CreateCheckoutSessionRequestSchema } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { TrackEventRequestSchema } from '../../web/src/gen/garimpo/tracking/v1/tracking_service_pb'
import { fits, isAccessible } from './acessibilidade'
import { hold, messageOf, refuse, signInWithoutEmail } from './chamadas'
import { openedSession, payByCard } from './payment-frame'
import {
  arriveAtUpsell,
  choosePlan,
  expect,
  joins,
  keepElite,
  person,
  signIn,
  signUp,
  takeOffer,
  test,
} from './product'

const WIDTHS = [320, 768, 1280, 390]
const card = { card: '4242424242424242' }

/** Fits at every width and has no violation as it stands now. */
async function isSound(page: Page) {
  for (const width of WIDTHS) await fits(page, width)
  await isAccessible(page)
}

const stored = (page: Page) => page.evaluate(() => ({ ...localStorage }))

test('cada causa de falha no login tem a sua mensagem, e o formulário tem as suas saídas', async ({
  page,
}) => {
  await page.goto('/login')
  await expect(page.getByRole('link', { name: 'Esqueci minha senha' })).toHaveAttribute(
    'href',
    '/esqueci-senha',
  )
  await expect(page.getByRole('main').getByRole('link', { name: 'Cadastre-se' })).toHaveAttribute(
    'href',
    '/cadastro',
  )
  await expect(page.getByRole('button', { name: 'Continuar com Google' })).toBeDisabled()
  await isSound(page)

  for (const [reason, message] of [
    ['INVALID_CREDENTIAL', 'Email ou senha inválidos'],
    ['USER_NOT_FOUND', 'Usuário não encontrado'],
    ['WRONG_PASSWORD', 'Senha incorreta'],
    ['TOO_MANY_REQUESTS', 'Muitas tentativas. Tente novamente mais tarde'],
    ['INTERNAL', 'Erro ao fazer login. Tente novamente.'],
  ] as const) {
    await refuse(page, 'SignIn', reason)
    await signIn(page, person())
    await expect(page.getByRole('alert')).toContainText(message)
    await page.unrouteAll()
  }
  await isAccessible(page)
})

test('cada causa de falha no cadastro tem a sua mensagem, e o formulário tem as suas saídas', async ({
  page,
}) => {
  await page.goto('/signup')
  for (const label of ['Nome completo', 'Email', 'WhatsApp (opcional)'])
    await expect(page.getByLabel(label)).toBeVisible()
  await expect(page.getByLabel('Senha', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Cadastrar com Google' })).toBeDisabled()
  await expect(page.getByRole('main').getByRole('link', { name: 'Faça login' })).toHaveAttribute(
    'href',
    '/login',
  )
  await isSound(page)

  for (const [reason, message] of [
    ['EMAIL_IN_USE', 'Este email já está em uso. Tente outro ou faça login.'],
    ['WEAK_PASSWORD', 'A senha deve ter pelo menos 6 caracteres.'],
    ['INVALID_EMAIL', 'Email inválido. Verifique e tente novamente.'],
    ['INTERNAL', 'Ocorreu um erro ao criar sua conta. Tente novamente.'],
  ] as const) {
    await refuse(page, 'SignUp', reason)
    await signUp(page, person())
    await expect(page.getByText(message).first()).toBeVisible()
    await page.unrouteAll()
  }
  for (const [told, message] of [
    [{ refused: 'true' }, 'Esta senha é fácil de adivinhar. Escolha outra.'],
    // Where the operator asks for more: the form knows it from then on.
    [{ minimum: '12' }, 'A senha deve ter pelo menos 12 caracteres.'],
  ] as const) {
    await refuse(page, 'SignUp', 'WEAK_PASSWORD', told)
    await signUp(page, person())
    await expect(page.getByLabel('Senha', { exact: true })).toHaveAccessibleDescription(message)
    await page.unrouteAll()
  }
  await page.getByLabel('Senha', { exact: true }).fill('onze-letras')
  await expect(page.getByLabel('Senha', { exact: true })).toHaveAccessibleDescription(
    'A senha deve ter pelo menos 12 caracteres.',
  )
  await isAccessible(page)
})

test('registro e evento que falham não param o cadastro, que guarda os valores locais e mostra a confirmação', async ({
  page,
  complaints,
}) => {
  await page.route('**/SaveUser', (route) => route.abort())
  const events = page.waitForRequest('**/TrackEvent')
  await page.route('**/TrackEvent', (route) => route.abort())
  const ana = person()
  await page.goto('/cadastro')
  // Who allowed advertising: of others no event is told.
  await page.evaluate(() => {
    const refused = JSON.parse(localStorage.getItem('adsConsent') ?? '{}')
    localStorage.setItem('adsConsent', JSON.stringify({ ...refused, allowed: true }))
  })
  await page.getByLabel('WhatsApp (opcional)').fill('11987654321')
  const sent = page.waitForRequest('**/SignUp')
  await signUp(page, { ...ana, email: ana.email.toUpperCase() })

  await page.waitForURL('**/account-confirmation')
  expect((await messageOf(await sent, SignUpRequestSchema)).email).toBe(ana.email)
  expect((await messageOf(await events, TrackEventRequestSchema)).eventSourceUrl).toContain('/cadastro')
  const kept = await stored(page)
  expect(kept).toMatchObject({ userEmail: ana.email, userName: ana.name })
  expect(`${kept.userPhone}${kept.userWhatsapp}`).toContain('11987654321')
  expect(Date.now() - Date.parse(kept.registrationDate ?? '')).toBeLessThan(60_000)
  expect(kept.uid).toBeTruthy()

  await expect(page.getByRole('heading', { name: 'Conta criada com sucesso!' })).toBeVisible()
  await expect(page.getByText('7 dias grátis')).toBeVisible()
  for (const unit of ['dias', 'horas', 'min', 'seg'])
    await expect(page.getByText(unit, { exact: true })).toBeVisible()
  await expect(page.getByRole('progressbar')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Começar Agora' })).toHaveAttribute('href', /garimpo=app/)
  await isSound(page)

  for (const address of ['/cadastro', '/login']) {
    await page.goto(address)
    await page.waitForURL('**/area-usuario')
  }
  complaints.expect(/ERR_FAILED .*SaveUser/, /ERR_FAILED .*TrackEvent/)
})

test('enquanto a conta é lida há um giro, e sair limpa o que é da pessoa, avisa e volta ao início', async ({
  page,
}) => {
  await joins(page)
  const open = await hold(page, '**/GetUser')
  await page.goto('/area-usuario')
  await expect(page.getByText('Carregando...').first()).toBeAttached()
  await open()

  await page.getByRole('button', { name: 'Sair' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
  await expect(page.getByRole('status').filter({ hasText: 'Logout realizado com sucesso' })).toBeVisible()
  const left = Object.keys(await stored(page))
  for (const key of [
    'uid',
    'userEmail',
    'userName',
    'userPhone',
    'userWhatsapp',
    'registrationDate',
    'selectedPlan',
    'upsellEndTime',
    'loginRedirectUrl',
    'checkoutClientSecret',
  ])
    expect(left).not.toContain(key)
  expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('garimpo_session')
  await page.goto('/area-usuario')
  await page.waitForURL('**/login')
})

test('enquanto a sessão é perguntada há um giro, e sem ela o login toma o lugar da página', async ({
  page,
}) => {
  await page.goto('/sobre')
  const answer = await hold(page, '**/GetSession')
  await page.goto('/area-usuario')
  await expect(page.getByText('Carregando...').first()).toBeAttached()
  expect(new URL(page.url()).pathname).toBe('/area-usuario')
  await answer()
  await page.waitForURL('**/login')
  await page.goBack()
  await expect(page).toHaveURL(/\/sobre$/)

  // A check that fails counts as nobody.
  await refuse(page, 'GetSession', 'INTERNAL')
  await page.goto('/area-usuario')
  await page.waitForURL('**/login')
})

test('sem conexão a área do usuário não manda ao login: diz o que houve e tenta de novo', async ({
  page,
  complaints,
}) => {
  await joins(page)
  await page.route('**/GetSession', (route) => route.abort())
  await page.goto('/area-usuario')
  await expect(page.getByRole('heading', { level: 1, name: 'Sem conexão' })).toBeVisible()
  await expect(page).toHaveURL(/\/area-usuario$/)
  await isAccessible(page)
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(page.getByRole('button', { name: 'Tentar novamente' })).toBeEnabled()

  await page.unroute('**/GetSession')
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Minha Conta' })).toBeVisible()
  complaints.expect(/ERR_FAILED .*GetSession/)
})

test('sem conta, tomar uma oferta leva ao cadastro e guarda a volta para os planos promocionais', async ({
  page,
}) => {
  await page.goto('/sobre')
  await keepElite(page)
  await page.goto('/upsell')
  await page
    .getByRole('region', { name: 'Trimestral', exact: true })
    .getByRole('button', { name: 'Aproveitar Oferta' })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirmar' }).click()
  await page.waitForURL('**/cadastro')
  expect((await stored(page)).loginRedirectUrl).toBe('/planos-promo')
})

test('o checkout carrega, mostra o formulário do provedor, e a sua falha mostra o cartão Erro e o aviso', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const answer = await hold(page, '**/CreateCheckoutSession')
  await page.goto('/checkout')
  await expect(page.getByRole('heading', { name: 'Finalizar Assinatura' })).toBeVisible()
  await expect(page.getByText('Carregando checkout...').first()).toBeAttached()
  await answer()
  await expect(page.frameLocator('iframe').getByLabel('Número do cartão')).toBeVisible()
  const back = page.getByRole('link', { name: 'Voltar aos planos' })
  await expect(back).toHaveAttribute('href', '/planos')
  await isSound(page)

  const said: string[] = []
  page.on('console', (message) => said.push(message.text()))
  await page.evaluate(() => localStorage.removeItem('checkoutClientSecret'))
  await refuse(page, 'CreateCheckoutSession', 'INTERNAL')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Erro', exact: true })).toBeVisible()
  await expect(
    page.getByText('Ocorreu um erro ao configurar o checkout. Por favor, tente novamente mais tarde.'),
  ).toBeVisible()
  const toast = page
    .getByRole('alert')
    .filter({ hasText: 'Não foi possível configurar o checkout. Tente novamente mais tarde.' })
  await expect(toast).toContainText('Erro')
  await expect(back).toHaveAttribute('href', '/planos')
  expect(said.some((text) => text.includes('Falha ao criar sessão de checkout'))).toBe(true)
  await isSound(page)

  // Nothing was chosen: the default is asked for, which nobody sells.
  await page.unrouteAll()
  await page.evaluate(() => {
    for (const key of ['selectedPlan', 'checkoutClientSecret']) localStorage.removeItem(key)
  })
  const asked = page.waitForRequest('**/CreateCheckoutSession')
  await page.reload()
  expect(await messageOf(await asked, CreateCheckoutSessionRequestSchema)).toMatchObject({
    planName: 'profissional',
    interval: 'monthly',
  })
  await expect(page.getByRole('heading', { name: 'Escolha um plano para assinar' })).toBeVisible()
})

test('a volta do checkout espera a resposta, e com a sessão aberta volta ao checkout', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const session = await openedSession(await takeOffer(page, 'Anual'))
  await refuse(page, 'GetCheckoutSession', 'INTERNAL')
  await page.goto(`/checkout-return?session_id=${session}`)
  await expect(page.getByText('Carregando...').first()).toBeAttached()
  await expect(page.getByRole('alert')).toHaveCount(0)
  expect(new URL(page.url()).pathname).toBe('/checkout-return')
  await isSound(page)
  await page.unrouteAll()
  await page.waitForURL('**/checkout')
})

test('quem pagou lê a confirmação e a assinatura, e cada leitura que falha diz o que houve', async ({
  page,
  complaints,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await payByCard(await takeOffer(page, 'Semestral'), card.card)
  await page.waitForURL('**/payment-success**')
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
  await expect(page.getByText('Em instantes você recebe um email', { exact: false })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Acessar a plataforma' })).toHaveAttribute(
    'href',
    /garimpo=app/,
  )
  await isSound(page)

  await page.goto('/area-usuario')
  const held = page.getByRole('region', { name: 'Assinatura' })
  await expect(held.getByText('Elite Nível 2')).toBeVisible()
  await expect(held.getByText('Ativa', { exact: true })).toHaveCSS('color', 'rgb(15, 91, 67)')
  for (const name of ['Plano', 'Status', 'Início', 'Fim'])
    await expect(held.getByText(name, { exact: true })).toBeVisible()
  await expect(held.getByText(/^\d{2}\/\d{2}\/\d{4}$/)).toHaveCount(2)
  await expect(held.getByRole('button', { name: 'Gerenciar Plano' })).toBeVisible()
  await expect(held.getByText('Fazer Upgrade')).toBeVisible()
  await isSound(page)

  await refuse(page, 'GetUser', 'INTERNAL')
  await page.reload()
  await expect(page.getByRole('alert').filter({ hasText: 'Erro ao carregar dados do usuário' })).toBeVisible()
  await expect(held.getByText('Elite Nível 2')).toBeVisible()
  await page.unrouteAll()

  // The portal: without an address on the profile, and with an answer without one.
  await choosePlan(page, 'Top Afiliado')
  await refuse(page, 'CreatePortalSession', 'INTERNAL')
  await page.getByRole('button', { name: 'Gerenciar Plano' }).click()
  const alert = page.getByRole('alert')
  await expect(
    alert.filter({ hasText: 'Não foi possível acessar o portal de gerenciamento de assinatura' }),
  ).toContainText('Erro')
  await page.unrouteAll()
  await signInWithoutEmail(page)
  await choosePlan(page, 'Top Afiliado')
  await page.getByRole('button', { name: 'Gerenciar Plano' }).click()
  await expect(alert.filter({ hasText: 'Email não encontrado' })).toContainText('Erro')
  await isAccessible(page)

  await page.goto('/area-usuario')
  await expect(page.getByRole('heading', { name: 'Nenhum dado encontrado' })).toBeVisible()
  await isSound(page)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Voltar para o login' }).click()
  await page.waitForURL('**/login')
  complaints.expect(/the portal did not open AppError: INTERNAL/)
})
