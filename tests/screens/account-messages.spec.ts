import type { Page } from '@playwright/test'
import { SignUpRequestSchema } from '../../web/src/gen/garimpo/auth/v1/auth_service_pb'
import { TrackEventRequestSchema } from '../../web/src/gen/garimpo/tracking/v1/tracking_service_pb'
import { expectAccessible, expectFits } from '../browser/accessibility'
import { failCall, hold, messageOf } from '../browser/calls'
import { createAccount, newPerson, signIn, signUp, storeElitePlan } from '../browser/product'
import { expect, test } from './screen-test'

const WIDTHS = [320, 768, 1280, 390]
/** Expects that the page fits each width and is accessible in its present state. */
async function expectFitsAndAccessible(page: Page) {
  for (const width of WIDTHS) await expectFits(page, width)
  await expectAccessible(page)
}

const stored = (page: Page) => page.evaluate(() => ({ ...localStorage }))

test('each sign-in failure has its message, and the form has its links', async ({ page }) => {
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
  await expectFitsAndAccessible(page)

  for (const [reason, message] of [
    ['INVALID_CREDENTIAL', 'Email ou senha inválidos'],
    ['USER_NOT_FOUND', 'Usuário não encontrado'],
    ['WRONG_PASSWORD', 'Senha incorreta'],
    ['TOO_MANY_REQUESTS', 'Muitas tentativas. Tente novamente mais tarde'],
    ['INTERNAL', 'Erro ao fazer login. Tente novamente.'],
  ] as const) {
    await failCall(page, 'SignIn', reason)
    await signIn(page, newPerson())
    await expect(page.getByRole('alert')).toContainText(message)
    await page.unrouteAll()
  }
  await expectAccessible(page)
})

test('each sign-up failure has its message, and the form has its links', async ({ page }) => {
  await page.goto('/signup')
  for (const label of ['Nome completo', 'Email', 'WhatsApp (opcional)'])
    await expect(page.getByLabel(label)).toBeVisible()
  await expect(page.getByLabel('Senha', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Cadastrar com Google' })).toBeDisabled()
  await expect(page.getByRole('main').getByRole('link', { name: 'Faça login' })).toHaveAttribute(
    'href',
    '/login',
  )
  await expectFitsAndAccessible(page)

  for (const [reason, message] of [
    ['EMAIL_IN_USE', 'Este email já está em uso. Tente outro ou faça login.'],
    ['WEAK_PASSWORD', 'A senha deve ter pelo menos 6 caracteres.'],
    ['INVALID_EMAIL', 'Email inválido. Verifique e tente novamente.'],
    ['INTERNAL', 'Ocorreu um erro ao criar sua conta. Tente novamente.'],
  ] as const) {
    await failCall(page, 'SignUp', reason)
    await signUp(page, newPerson())
    await expect(page.getByText(message).first()).toBeVisible()
    await page.unrouteAll()
  }
  for (const [detail, message] of [
    [{ refused: 'true' }, 'Esta senha é fácil de adivinhar. Escolha outra.'],
    // If the operator raises the minimum length, the form applies it from then on.
    [{ minimum: '12' }, 'A senha deve ter pelo menos 12 caracteres.'],
  ] as const) {
    await failCall(page, 'SignUp', 'WEAK_PASSWORD', detail)
    await signUp(page, newPerson())
    await expect(page.getByLabel('Senha', { exact: true })).toHaveAccessibleDescription(message)
    await page.unrouteAll()
  }
  await page.getByLabel('Senha', { exact: true }).fill('onze-letras')
  await expect(page.getByLabel('Senha', { exact: true })).toHaveAccessibleDescription(
    'A senha deve ter pelo menos 12 caracteres.',
  )
  await expectAccessible(page)
})

test('a sign-up succeeds and stores its values although the user record and the event fail', async ({
  page,
  pageErrors,
}) => {
  await page.route('**/SaveUser', (route) => route.abort())
  const events = page.waitForRequest('**/TrackEvent')
  await page.route('**/TrackEvent', (route) => route.abort())
  const ana = newPerson()
  await page.goto('/cadastro')
  // Allow ads: without consent no event is sent.
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
  await expectFitsAndAccessible(page)

  for (const address of ['/cadastro', '/login']) {
    await page.goto(address)
    await page.waitForURL('**/area-usuario')
  }
  pageErrors.expect(/ERR_FAILED .*SaveUser/, /ERR_FAILED .*TrackEvent/)
})

test('a spinner shows while the account loads; a sign-out clears the person and opens the home page', async ({
  page,
}) => {
  await createAccount(page)
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

test('a spinner shows while the session is checked; without one the sign-in replaces the page', async ({
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

  // A failed check counts as signed out.
  await failCall(page, 'GetSession', 'INTERNAL')
  await page.goto('/area-usuario')
  await page.waitForURL('**/login')
})

test('without a connection the account does not lead to the sign-in, and offers another try', async ({
  page,
  pageErrors,
}) => {
  await createAccount(page)
  await page.route('**/GetSession', (route) => route.abort())
  await page.goto('/area-usuario')
  await expect(page.getByRole('heading', { level: 1, name: 'Sem conexão' })).toBeVisible()
  await expect(page).toHaveURL(/\/area-usuario$/)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(page.getByRole('button', { name: 'Tentar novamente' })).toBeEnabled()

  await page.unroute('**/GetSession')
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Minha Conta' })).toBeVisible()
  pageErrors.expect(/ERR_FAILED .*GetSession/)
})

test('without an account, taking an offer leads to the sign-up and stores the promotion as return', async ({
  page,
}) => {
  await page.goto('/sobre')
  await storeElitePlan(page)
  await page.goto('/upsell')
  await page
    .getByRole('region', { name: 'Trimestral', exact: true })
    .getByRole('button', { name: 'Aproveitar Oferta' })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirmar' }).click()
  await page.waitForURL('**/cadastro')
  expect((await stored(page)).loginRedirectUrl).toBe('/planos-promo')
})
