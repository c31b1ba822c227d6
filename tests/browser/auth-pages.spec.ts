import { expectAccessible, expectFits } from './accessibility'
import { hold } from './calls'
import { arriveAtUpsell, createAccount, expect, newPerson, signUp, storeElitePlan, test } from './product'

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

test('for an email in use, the sign-in links of the error and of the header carry the typed email', async ({
  page,
  browser,
  product,
}) => {
  const ana = newPerson()
  const other = await (await browser.newContext({ baseURL: product.url })).newPage()
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

test('the sign-up form keeps its values while the terms are read, except the password', async ({ page }) => {
  const typed = {
    'Nome completo': 'Ana Souza',
    Email: 'ana@exemplo.com.br',
    'WhatsApp (opcional)': '(11) 98765-4321',
  }
  await page.goto('/cadastro')
  for (const [label, value] of Object.entries(typed))
    await page.getByLabel(label, { exact: true }).fill(value)
  await page.getByLabel('Senha', { exact: true }).fill('segredo-da-ana')

  await page.getByRole('main').getByRole('link', { name: 'Termos de Uso' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Termos de Uso' })).toBeVisible()
  await page.goBack()

  for (const [label, value] of Object.entries(typed))
    await expect(page.getByLabel(label, { exact: true }), label).toHaveValue(value)
  await expect(page.getByLabel('Senha', { exact: true })).toHaveValue('')
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

test('pages on which somebody pays have the logo, help and account, and the whole footer', async ({
  page,
}) => {
  const entries = page.getByRole('banner').getByRole('link')
  const footer = page.getByRole('contentinfo')
  await page.goto('/checkout')
  await expect(entries).toHaveText(['Ir para o conteúdo', 'Garimpo', 'Central de Ajuda'])
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  for (const path of ['/checkout', '/confirmar-pagamento']) {
    await page.goto(path)
    await expect(entries, path).toHaveText([
      'Ir para o conteúdo',
      'Garimpo',
      'Central de Ajuda',
      'Minha Conta',
    ])
    await expect(page.getByRole('button', { name: 'Abrir menu' })).toHaveCount(0)
    for (const name of ['Planos', 'Termos de Uso', 'Políticas de Privacidade'])
      await expect(footer.getByRole('link', { name, exact: true }), path).toBeVisible()
    await expect(footer.getByText('CNPJ'), path).toBeVisible()
    for (const width of [320, 390, 768, 1280]) await expectFits(page, width)
  }
  // The content security policy of a payment page must not apply to the next page.
  await page.getByRole('banner').getByRole('link', { name: 'Minha Conta' }).click()
  await expect(page.getByRole('heading', { name: 'Minha Conta' })).toBeVisible()
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

test('a visitor sent to the sign-in sees a spinner until it opens, and nothing shifts', async ({ page }) => {
  await page.addInitScript(() => {
    const shifts: number[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  // Delay the sign-in page.
  const release = await hold(page, '**/assets/login*.js')
  const held = page.waitForRequest('**/assets/login*.js')
  await page.goto('/area-usuario', { waitUntil: 'commit' })
  await held
  await expect(page.getByRole('main').getByText('Carregando').filter({ visible: true })).toBeVisible()
  await release()
  await expect(page.getByLabel('Senha', { exact: true })).toBeVisible()
  expect(
    await page.evaluate(() =>
      (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
    ),
  ).toBeLessThan(0.02)
})
