import { createAccount, expect, newPerson, signIn, signUp, test } from './product'

test('a sign-up without a plan creates the account and opens its confirmation', async ({ page }) => {
  await page.goto('/cadastro')
  await signUp(page, newPerson())

  await page.waitForURL('**/account-confirmation')
  await expect(page.getByRole('heading', { name: 'Conta criada com sucesso!' })).toBeVisible()
  await page.goto('/area-usuario')
  await expect(page.getByText('Ana Maria Souza').first()).toBeVisible()
})

test('no link of the public pages leads to the not-found page', async ({ page, product }) => {
  const seen = new Set<string>()
  for (const path of ['/', '/planos', '/solucoes', '/login', '/cadastro']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    for (const href of await page
      .locator('a[href^="/"]')
      .evaluateAll((links) => links.map((a) => (a as HTMLAnchorElement).href)))
      seen.add(href)
  }
  for (const href of seen)
    expect((await page.request.get(href)).status(), href.replace(product.url, '')).toBe(200)
})

test('a user signs out, is refused with a wrong password and signs in again', async ({ page }) => {
  const ana = newPerson()
  await createAccount(page, ana)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Sair' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')

  await page.goto('/login')
  await signIn(page, { ...ana, password: 'outra-senha' })
  await expect(page.getByText('Email ou senha inválidos').first()).toBeVisible()
  await signIn(page, ana)
  await page.waitForURL('**/area-usuario')
  await expect(page.getByText('Login realizado com sucesso!')).toBeVisible()
})

test('an unknown path shows the not-found page with the status 404', async ({ page, pageErrors }) => {
  const answer = await page.goto('/nao-existe')
  expect(answer?.status()).toBe(404)
  await expect(page.getByText('404')).toBeVisible()
  await expect(page.getByText('Oops! Page not found')).toBeVisible()
  pageErrors.expect(/status of 404 .*\/nao-existe/, /No route answers \/nao-existe/)
})
