import { expectAccessible } from '../browser/accessibility'
import { createAccount, newPerson, signUp, storeElitePlan } from '../browser/product'
import { expect, test } from './screen-test'

test('the typed email is carried between sign-in, sign-up and recovery, and never in the address', async ({
  page,
}) => {
  const email = page.getByLabel('Email', { exact: true })
  await page.goto('/cadastro')
  await email.fill('ana@exemplo.com.br')
  for (const [link, path] of [
    ['Faça login', '/login'],
    ['Esqueci minha senha', '/esqueci-senha'],
    ['Voltar para login', '/login'],
    ['Cadastre-se', '/cadastro'],
  ] as const) {
    await page.getByRole('main').getByRole('link', { name: link }).click()
    await expect.poll(() => page.url().endsWith(path)).toBe(true)
    await expect(email, path).toHaveValue('ana@exemplo.com.br')
  }
})

test('the fields of the sign-up stay as typed over a reload, without the password', async ({ page }) => {
  const password = page.getByLabel('Senha', { exact: true })
  const fields = [
    [page.getByLabel('Nome completo'), 'Ana Souza'],
    [page.getByLabel('Email', { exact: true }), 'ana@exemplo.com.br'],
    [page.getByLabel('WhatsApp (opcional)'), '(11) 98765-4321'],
  ] as const
  await page.goto('/cadastro')
  for (const [field, value] of fields) await field.fill(value)
  await password.fill('segredo1')

  await page.reload()

  for (const [field, value] of fields) await expect(field).toHaveValue(value)
  await expect(password).toHaveValue('')
})

test('for an email in use, the sign-in links of the error and of the header carry the typed email', async ({
  page,
  browser,
  backend,
}) => {
  const ana = newPerson()
  const other = await (await browser.newContext({ baseURL: backend.url })).newPage()
  await createAccount(other, ana)
  await other.context().close()

  await page.setViewportSize({ width: 1280, height: 900 })
  const email = page.getByLabel('Email', { exact: true })
  for (const place of ['main', 'banner'] as const) {
    await page.goto('/cadastro')
    await signUp(page, { ...ana, password: 'outra-senha' })
    const inError = page
      .getByRole('main')
      .getByText('Este email já está em uso. Tente outro ou faça login.')
      .getByRole('link', { name: 'faça login' })
    await expect(inError).toBeVisible()
    await expectAccessible(page)
    if (place === 'main') await inError.click()
    else await page.getByRole('banner').getByRole('link', { name: 'Login' }).click()
    await page.waitForURL('**/login')
    await expect(email, place).toHaveValue(ana.email)
  }
  await page.getByLabel('Senha', { exact: true }).fill(ana.password)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await page.waitForURL('**/area-usuario')
  await page.getByRole('button', { name: 'Sair' }).click()
  await page.getByRole('banner').getByRole('link', { name: 'Login' }).click()
  await expect(email).toHaveValue('')
})

test('a signed-in visitor with a stored plan who opens the sign-in goes to the offers', async ({ page }) => {
  await page.goto('/cadastro')
  await signUp(page, newPerson())
  await page.waitForURL('**/account-confirmation')
  await storeElitePlan(page)
  await page.goto('/login')
  await page.waitForURL('**/upsell')
})

test('each page behind the sign-in sends visitors to /login, which replaces it in the history', async ({
  page,
}) => {
  await page.goto('/sobre')
  for (const path of [
    '/area-usuario',
    '/payment-success',
    '/payment-canceled',
    '/payment-awaited',
    '/account-confirmation',
  ]) {
    await page.goto('/sobre')
    await page.goto(path)
    await page.waitForURL('**/login')
    await page.goBack()
    await page.waitForURL('**/sobre')
  }
})

test('header and footer of the account pages have all their links', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 })
  const header = page.getByRole('banner').getByRole('link')
  const footer = [
    'Home',
    'Soluções',
    'Planos',
    'Central de Ajuda',
    'Sobre Nós',
    'Termos de Uso',
    'Políticas de Privacidade',
  ]
  const check = async (path: string, own: string) => {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible()
    await expect(header, path).toHaveText([
      'Ir para o conteúdo',
      'Garimpo',
      'Soluções',
      'Planos',
      'Central de Ajuda',
      own,
      'Acessar App',
    ])
    for (const name of footer)
      await expect(page.getByRole('contentinfo').getByRole('link', { name, exact: true }), path).toBeVisible()
  }
  for (const path of ['/login', '/cadastro', '/esqueci-senha', '/redefinir-senha', '/confirmar-email'])
    await check(path, 'Login')
  await createAccount(page)
  for (const path of ['/account-confirmation', '/area-usuario', '/payment-canceled', '/payment-awaited'])
    await check(path, 'Minha Conta')
})
