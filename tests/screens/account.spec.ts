import { expectAccessible } from '../browser/accessibility'
import { newPerson, signIn, signUp, walkToUpsell } from '../browser/product'
import { createSubscriber } from './account'
import { expect, test } from './screen-test'

test('in the trial the account shows the countdown and the link to the app, and no subscription card', async ({
  page,
}) => {
  await page.goto('/cadastro')
  await signUp(page, newPerson())
  await page.waitForURL('**/account-confirmation')

  await page.goto('/area-usuario')

  await expect(page.getByRole('link', { name: 'Acessar o App' })).toBeVisible()
  await expect(page.getByText('horas', { exact: true })).toBeVisible()
  await expect(page.getByText('Gerenciar Plano')).toHaveCount(0)
})

test('the sign-up shows the message of each field beside it', async ({ page }) => {
  await page.goto('/cadastro')
  const send = page.getByRole('button', { name: 'Criar conta' })

  await send.click()
  await expect(page.getByText('Por favor, preencha todos os campos obrigatórios.').first()).toBeVisible()
  await page.getByLabel('Nome completo').fill('Ana Souza')
  await page.getByLabel('Email').fill('ana')
  await page.getByLabel('Senha', { exact: true }).fill('12345')
  await expect(page.getByText('A senha deve ter pelo menos 6 caracteres.').first()).toBeVisible()
  await page.getByLabel('Senha', { exact: true }).fill('garimpo6')
  await page.getByLabel('WhatsApp (opcional)').fill('119')
  await send.click()
  // Both requests at once.
  const refused = page.getByText('Digite um número de WhatsApp válido com DDD.')
  await expect(page.getByText('Digite um email válido.').first()).toBeVisible()
  await expect(refused).toBeVisible()
  await expect(page.getByLabel('Email')).toBeFocused()
  await page.getByLabel('Email').fill('ana@exemplo.com.br')
  await expect(page.getByText('Digite um email válido.')).toHaveCount(0)
  await expect(refused).toBeVisible()
  await page.getByLabel('WhatsApp (opcional)').fill('')
  await page.getByLabel('Email').fill(newPerson().email)
  await send.click()
  await page.waitForURL('**/account-confirmation')
  await expect(refused).toHaveCount(0)
})

test('a filled field loses its required error, which moves to the next field and ends with the last', async ({
  page,
}) => {
  await page.goto('/cadastro')
  const name = page.getByLabel('Nome completo')
  const email = page.getByLabel('Email')
  const required = 'Por favor, preencha todos os campos obrigatórios.'
  await page.getByRole('button', { name: 'Criar conta' }).click()
  await expect(name).toHaveAccessibleDescription(required)

  await name.fill('   ')
  await expect(name).toHaveAccessibleDescription(required)
  await name.fill('Ana Souza')

  await expect(name).toHaveAccessibleDescription('')
  await expect(name).not.toHaveAttribute('aria-invalid')
  await expect(email).toHaveAccessibleDescription(required)
  await email.fill('ana@exemplo.com.br')
  await page.getByLabel('Senha', { exact: true }).fill('garimpo6')
  // The toast closes too, because it would cover the button.
  await expect(page.getByText(required)).toHaveCount(0)
})

test('the WhatsApp field keeps digits only, at most eleven, with a mask', async ({ page }) => {
  await page.goto('/cadastro')
  const field = page.getByLabel('WhatsApp (opcional)')
  await field.pressSequentially('a11x98765-43219')
  await expect(field).toHaveValue('(11) 98765-4321')
})

test('an email in use shows the message of the catalogue', async ({ page, browser, backend }) => {
  const ana = newPerson()
  await page.goto('/cadastro')
  await signUp(page, ana)
  await page.waitForURL('**/account-confirmation')

  const other = await (await browser.newContext({ baseURL: backend.url })).newPage()
  await other.goto('/cadastro')
  await signUp(other, { ...ana, password: 'outra-senha' })
  await expect(other.getByText('Este email já está em uso. Tente outro ou faça login.').first()).toBeVisible()
  await other.context().close()
})

test('a sign-in without values asks for all fields', async ({ page }) => {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await expect(page.getByText('Por favor, preencha todos os campos').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Continuar com Google' })).toBeDisabled()
})

test('the account without a session leads to the sign-in', async ({ page }) => {
  await page.goto('/area-usuario')
  await page.waitForURL('**/login')
})

test('the checkout without a session shows that access is restricted', async ({ page }) => {
  await page.goto('/checkout')
  await expect(page.getByText('Acesso Restrito')).toBeVisible()
  await expect(page.getByText('Você precisa estar logado para acessar esta página')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Criar conta' })).toHaveAttribute('href', '/cadastro')
  await page.getByText('Fazer Login').click()
  await page.waitForURL('**/login')
})

test('a subscriber never reads that there is no subscription because a read failed', async ({
  page,
  backend,
  pageErrors,
}) => {
  await createSubscriber(page, backend)
  const verdict = page.getByText('Você não tem uma assinatura ativa')
  const finish = page.getByText('Concluir assinatura')

  // The user record fails: the subscription response is enough.
  await page.route('**/garimpo.users.v1.UserService/GetUser', (route) => route.abort())
  await page.goto('/area-usuario')
  await expect(page.getByText('Erro ao carregar dados do usuário')).toBeVisible()
  const card = page.getByRole('region', { name: 'Assinatura' })
  await expect(card.getByText('Elite Nível 2')).toBeVisible()
  await expect(card.getByText('Ativa')).toBeVisible()
  await expect(verdict).toHaveCount(0)
  await expect(finish).toHaveCount(0)
  // A profile that was not read cannot be edited.
  await expect(page.getByRole('button', { name: 'Editar perfil' })).toHaveCount(0)

  // Both fail: the page shows no status and offers another try.
  await page.route('**/garimpo.billing.v1.BillingService/GetSubscription', (route) => route.abort())
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Não conseguimos ler sua assinatura' })).toBeVisible()
  await expect(verdict).toHaveCount(0)
  await expect(finish).toHaveCount(0)

  // The record alone: the page states that the rest is missing and offers another try.
  await page.unroute('**/garimpo.users.v1.UserService/GetUser')
  await page.reload()
  await expect(card.getByText('Ativa')).toBeVisible()
  const cancel = page.getByRole('button', { name: 'Cancelar assinatura' })
  await expect(cancel).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Não conseguimos ler sua assinatura' })).toBeVisible()
  await expect(
    page.getByText('por ora não mostramos valores, boleto, cancelamento e reembolso'),
  ).toBeVisible()
  await expectAccessible(page)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(card.getByText('Ativa')).toBeVisible()
  await expect(cancel).toBeVisible()
  await expect(page.getByRole('button', { name: 'Pedir reembolso' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Não conseguimos ler sua assinatura' })).toHaveCount(0)
  pageErrors.expect(/ERR_FAILED .*GetUser/, /ERR_FAILED .*GetSubscription/)
})

test('after the sign-up the focus moves to the heading of the next page', async ({ page }) => {
  await walkToUpsell(page, 'Elite', 'Nível 1')

  await expect(page.getByRole('heading', { level: 1, name: 'Aproveite as Ofertas Exclusivas' })).toBeFocused()
})

test('a new sign-in error replaces the previous one', async ({ page }) => {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('Por favor, preencha todos os campos')
  await signIn(page, newPerson())
  await expect(page.getByRole('alert')).toHaveCount(1)
  await expect(page.getByRole('alert')).toContainText('Email ou senha inválidos')
})
