import type { Page } from '@playwright/test'
import { createAccount, expect, type Person, Product, signIn, test } from './product'

/**
 * Recovery is limited per client address, which all browsers share, so this file has its own
 * product.
 */
const recoveryTest = test.extend<object, { shared: Product }>({
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner asks for an object pattern
    async ({}, use) => {
      const product = await Product.start()
      await use(product)
      product.stop()
    },
    { scope: 'worker' },
  ],
})

const SEND_LABEL = 'Enviar Email de Recuperação'
const emailField = (page: Page) => page.getByLabel('Email', { exact: true })
const newPasswordField = (page: Page) => page.getByLabel('Nova senha', { exact: true })
const repeatedPasswordField = (page: Page) => page.getByLabel('Confirmar nova senha', { exact: true })
const resetButton = (page: Page) => page.getByRole('button', { name: 'Redefinir senha' })

interface Mail {
  to: string
  subject: string
  text: string
}

/** Returns the link of the newest recovery mail, once `count` of them were mailed. */
async function waitForRecoveryLink(product: Product, email: string, count = 1): Promise<string> {
  let mails: Mail[] = []
  await expect
    .poll(async () => {
      const all = (await (await fetch(`${product.sandbox}/mail.json`)).json()) as Mail[]
      mails = all.filter(({ to, subject }) => to === email && subject === 'Link para redefinir sua senha')
      return mails.length
    })
    .toBe(count)
  return mails[0]?.text.match(/http\S+\/redefinir-senha\?code=\S+/)?.[0] ?? ''
}

async function requestLink(page: Page, product: Product, who: Person, count = 1): Promise<string> {
  await page.goto('/esqueci-senha')
  await emailField(page).fill(who.email)
  await page.getByRole('button', { name: SEND_LABEL }).click()
  await expect(page.getByText('um email com as instruções')).toBeVisible()
  return waitForRecoveryLink(product, who.email, count)
}

recoveryTest(
  'a user goes from the sign-in to the recovery email, sets a new password and signs in with it',
  async ({ page, browser, product }) => {
    const ana = await createAccount(page)
    const visitor = await (await browser.newContext({ baseURL: product.url })).newPage()
    await visitor.goto('/login')
    await visitor.getByLabel('Email').fill(ana.email)
    await visitor.getByRole('link', { name: 'Esqueci minha senha' }).click()
    await expect(visitor.getByRole('heading', { level: 1, name: 'Recuperação de Senha' })).toBeVisible()
    await expect(visitor).toHaveTitle('Recuperação de Senha | Garimpo')
    await expect(emailField(visitor)).toHaveAttribute('placeholder', 'voce@exemplo.com')

    // The email typed on /login is filled in, and not in the address.
    await expect(emailField(visitor)).toHaveValue(ana.email)
    expect(visitor.url()).toMatch(/\/esqueci-senha$/)
    await visitor.getByRole('button', { name: SEND_LABEL }).click()
    const toast = visitor.getByRole('status').filter({ hasText: 'Email de recuperação enviado' })
    await expect(toast).toContainText('Verifique sua caixa de entrada')
    await expect(visitor.locator(':focus')).toContainText(
      `Enviamos para ${ana.email} um email com as instruções para redefinir a senha.`,
    )

    await visitor.goto(await waitForRecoveryLink(product, ana.email))
    await expect(visitor.getByRole('heading', { level: 1, name: 'Redefinir senha' })).toBeVisible()
    await newPasswordField(visitor).fill('nova-senha')
    await repeatedPasswordField(visitor).fill('nova-senha')
    await resetButton(visitor).click()
    await visitor.waitForURL('**/login')
    // The success message is on the page, and the email is filled in.
    await expect(visitor.getByText('Senha redefinida com sucesso! Entre com a nova senha.')).toBeVisible()
    await expect(visitor.getByLabel('Email')).toHaveValue(ana.email)
    await signIn(visitor, { ...ana, password: 'nova-senha' })
    await visitor.waitForURL('**/area-usuario')

    // The browser that was signed in before is signed out.
    await page.goto('/area-usuario')
    await page.waitForURL('**/login')
    await signIn(page, ana)
    await expect(page.getByRole('alert')).toContainText('Email ou senha inválidos')
  },
)

recoveryTest(
  'opening the link does not use up the code, which leaves the address without a referrer',
  async ({ page, product }) => {
    const ana = await createAccount(page)
    const mailed = await requestLink(page, product, ana)

    for (let opened = 0; opened < 2; opened += 1) {
      const answer = await page.goto(mailed)
      expect(answer?.headers()['referrer-policy']).toBe('no-referrer')
      expect(answer?.headers()['x-robots-tag']).toBe('noindex')
      await expect(resetButton(page)).toBeVisible()
      await expect.poll(() => page.url()).toBe(`${product.url}/redefinir-senha`)
    }
    // A reload keeps the code in its tab; another tab has none.
    await page.reload()
    await expect(resetButton(page)).toBeVisible()
    const other = await page.context().newPage()
    await other.goto('/redefinir-senha')
    await expect(other.getByRole('heading', { name: 'Abra o link do email' })).toBeVisible()

    const send = async (first: string, second: string) => {
      await newPasswordField(page).fill(first)
      await repeatedPasswordField(page).fill(second)
      await resetButton(page).click()
    }
    await send('', '')
    await expect(page.getByRole('alert')).toContainText('Por favor, preencha todos os campos')
    await send('12345', '12345')
    await expect(newPasswordField(page)).toHaveAccessibleDescription(
      'A senha deve ter pelo menos 6 caracteres.',
    )
    await send('nova-senha', 'nova-senh4')
    await expect(repeatedPasswordField(page)).toHaveAccessibleDescription('As senhas não são iguais.')
    await expect(page.getByRole('alert')).toContainText('As senhas não são iguais.')
    await send('nova-senha', 'nova-senha')
    await page.waitForURL('**/login')
  },
)

recoveryTest(
  'a used, old, invented or missing code leads to a request for another link',
  async ({ page, product }) => {
    const ana = await createAccount(page)
    const first = await requestLink(page, product, ana, 1)
    const second = await requestLink(page, product, ana, 2)
    const asksAgain = page.getByRole('link', { name: 'Pedir um novo link' })

    for (const address of [first, '/redefinir-senha?code=inventado']) {
      // Before a new password is typed.
      await page.goto(address)
      await expect(page.getByRole('heading', { name: 'Este link não vale mais' })).toBeVisible()
      await expect(asksAgain).toBeVisible()
    }
    const checked = page.waitForResponse('**/CheckPasswordReset')
    await page.goto(second)
    await checked
    await fetch(`${product.sandbox}/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advance_seconds: 3600, keep_sessions: true }),
    })
    // A link that expires while the form is open.
    await newPasswordField(page).fill('nova-senha')
    await repeatedPasswordField(page).fill('nova-senha')
    await resetButton(page).click()
    await expect(page.getByRole('heading', { name: 'Este link expirou' })).toBeVisible()
    await page.goto('/redefinir-senha')
    await expect(page.getByRole('heading', { name: 'Abra o link do email' })).toBeVisible()
    await asksAgain.click()
    await page.waitForURL('**/esqueci-senha')
  },
)

recoveryTest(
  'a password reset in a signed-in browser asks to sign in again, and the purchase continues',
  async ({ page, product }) => {
    const ana = await createAccount(page)
    await page.evaluate(() =>
      localStorage.setItem(
        'selectedPlan',
        JSON.stringify({
          name: 'Elite Nível 1',
          price: 'R$ 197,90',
          period: '/mês',
          priceRaw: '197.90',
          interval: 'month',
        }),
      ),
    )
    await page.goto(await requestLink(page, product, ana))
    await newPasswordField(page).fill('nova-senha')
    await repeatedPasswordField(page).fill('nova-senha')
    await resetButton(page).click()

    await page.waitForURL('**/login')
    await signIn(page, { ...ana, password: 'nova-senha' })
    await page.waitForURL('**/upsell')
  },
)
