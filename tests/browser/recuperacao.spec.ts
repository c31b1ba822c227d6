import type { Page } from '@playwright/test'
import { expect, joins, type Person, Product, person, signIn, test } from './product'

/** Counters of recovery are per address, and all browsers have one: this file has a product of its own. */
const own = test.extend<object, { shared: Product }>({
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

const send = 'Enviar Email de Recuperação'
const field = (page: Page) => page.getByLabel('Email', { exact: true })
const password = (page: Page) => page.getByLabel('Nova senha', { exact: true })
const repeated = (page: Page) => page.getByLabel('Confirmar nova senha', { exact: true })
const redefine = (page: Page) => page.getByRole('button', { name: 'Redefinir senha' })

interface Mail {
  to: string
  subject: string
  text: string
}

/** The link of the newest recovery mail, once there are so many. */
async function link(product: Product, email: string, count = 1): Promise<string> {
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

async function asksForLink(page: Page, product: Product, who: Person, count = 1): Promise<string> {
  await page.goto('/esqueci-senha')
  await field(page).fill(who.email)
  await page.getByRole('button', { name: send }).click()
  await expect(page.getByText('um email com as instruções')).toBeVisible()
  return link(product, who.email, count)
}

own('do login ao email, da nova senha de volta ao login', async ({ page, browser, product }) => {
  const ana = await joins(page)
  const visitor = await (await browser.newContext({ baseURL: product.url })).newPage()
  await visitor.goto('/login')
  await visitor.getByLabel('Email').fill(ana.email)
  await visitor.getByRole('link', { name: 'Esqueci minha senha' }).click()
  await expect(visitor.getByRole('heading', { level: 1, name: 'Recuperação de Senha' })).toBeVisible()
  await expect(visitor).toHaveTitle('Recuperação de Senha | Garimpo')
  await expect(field(visitor)).toHaveAttribute('placeholder', 'voce@exemplo.com')

  // The email that was typed on /login came along, and not in the address.
  await expect(field(visitor)).toHaveValue(ana.email)
  expect(visitor.url()).toMatch(/\/esqueci-senha$/)
  await visitor.getByRole('button', { name: send }).click()
  const toast = visitor.getByRole('status').filter({ hasText: 'Email de recuperação enviado' })
  await expect(toast).toContainText('Verifique sua caixa de entrada')
  await expect(visitor.locator(':focus')).toContainText(
    `Enviamos para ${ana.email} um email com as instruções para redefinir a senha.`,
  )

  await visitor.goto(await link(product, ana.email))
  await expect(visitor.getByRole('heading', { level: 1, name: 'Redefinir senha' })).toBeVisible()
  await password(visitor).fill('nova-senha')
  await repeated(visitor).fill('nova-senha')
  await redefine(visitor).click()
  await visitor.waitForURL('**/login')
  // Said in place, with the email already there.
  await expect(visitor.getByText('Senha redefinida com sucesso! Entre com a nova senha.')).toBeVisible()
  await expect(visitor.getByLabel('Email')).toHaveValue(ana.email)
  await signIn(visitor, { ...ana, password: 'nova-senha' })
  await visitor.waitForURL('**/area-usuario')

  // The browser that was signed in before is so no more.
  await page.goto('/area-usuario')
  await page.waitForURL('**/login')
  await signIn(page, ana)
  await expect(page.getByRole('alert')).toContainText('Email ou senha inválidos')
})

own(
  'o aviso verde oferece tentar novamente com o email já digitado e voltar para o login',
  async ({ page }) => {
    const nobody = person()
    await page.goto('/esqueci-senha')
    await field(page).fill(` ${nobody.email} `)
    await page.getByRole('button', { name: send }).click()

    await expect(page.getByText(nobody.email)).toBeVisible()
    await expect(page.getByRole('button', { name: send })).toHaveCount(0)
    await page.getByRole('button', { name: 'Tentar novamente' }).click()
    await expect(page.getByRole('button', { name: send })).toBeVisible()
    await expect(field(page)).toHaveValue(new RegExp(nobody.email))
    await page.getByRole('link', { name: 'Voltar para login' }).click()
    await page.waitForURL('**/login')
  },
)

own('email inválido é dito ao lado do campo e no aviso, sem chamada', async ({ page }) => {
  const calls: string[] = []
  page.on('request', (request) => calls.push(new URL(request.url()).pathname))
  await page.goto('/esqueci-senha')

  for (const typed of ['', 'ana', 'ana@exemplo']) {
    await field(page).fill(typed)
    await page.getByRole('button', { name: send }).click()
    await expect(field(page)).toHaveAccessibleDescription('Email inválido')
    await expect(page.getByRole('alert')).toContainText('Erro ao enviar email')
    await expect(page.getByRole('alert')).toContainText('Email inválido')
    await expect(field(page)).toBeFocused()
  }
  expect(calls).not.toContain('/api/password-reset')
})

own(
  'enquanto envia o botão diz Enviando e a falha mostra o texto do servidor ou o nosso',
  async ({ page, complaints }) => {
    await page.goto('/esqueci-senha')
    const answers = [
      {
        status: 429,
        body: JSON.stringify({ ok: false, error: 'Texto do servidor', code: 'TOO_MANY_REQUESTS' }),
      },
      { status: 500, body: JSON.stringify({ ok: false }) },
      { status: 502, body: '<html>' },
      null,
    ]
    for (const answer of answers) {
      let respond = () => {}
      const held = new Promise<void>((done) => {
        respond = done
      })
      await page.route('**/api/password-reset', async (route) => {
        await held
        if (answer) await route.fulfill({ ...answer, contentType: 'application/json' })
        else await route.abort()
      })
      await field(page).fill('ana@exemplo.com.br')
      await page.getByRole('button', { name: send }).click()

      const busy = page.getByRole('button', { name: 'Enviando...' })
      await expect(busy).toBeDisabled()
      respond()
      await expect(page.getByRole('button', { name: send })).toBeEnabled()
      const alert = page.getByRole('alert').filter({ hasText: 'Erro ao enviar email' })
      await expect(alert).toContainText(
        answer?.status === 429 ? 'Texto do servidor' : 'Ocorreu um erro ao processar sua solicitação',
      )
      await page.unrouteAll()
    }
    complaints.expect(
      /status of 429 .*password-reset/,
      /status of 500 .*password-reset/,
      /status of 502 .*password-reset/,
      /ERR_FAILED .*password-reset/,
    )
  },
)

own(
  'abrir o link não gasta o código, que sai do endereço sem deixar referência',
  async ({ page, product }) => {
    const ana = await joins(page)
    const mailed = await asksForLink(page, product, ana)

    for (let opened = 0; opened < 2; opened += 1) {
      const answer = await page.goto(mailed)
      expect(answer?.headers()['referrer-policy']).toBe('no-referrer')
      expect(answer?.headers()['x-robots-tag']).toBe('noindex')
      await expect(redefine(page)).toBeVisible()
      await expect.poll(() => page.url()).toBe(`${product.url}/redefinir-senha`)
    }
    // A reload keeps the code in its tab; another tab has none.
    await page.reload()
    await expect(redefine(page)).toBeVisible()
    const other = await page.context().newPage()
    await other.goto('/redefinir-senha')
    await expect(other.getByRole('heading', { name: 'Abra o link do email' })).toBeVisible()

    const send = async (first: string, second: string) => {
      await password(page).fill(first)
      await repeated(page).fill(second)
      await redefine(page).click()
    }
    await send('', '')
    await expect(page.getByRole('alert')).toContainText('Por favor, preencha todos os campos')
    await send('12345', '12345')
    await expect(password(page)).toHaveAccessibleDescription('A senha deve ter pelo menos 6 caracteres.')
    await send('nova-senha', 'nova-senh4')
    await expect(repeated(page)).toHaveAccessibleDescription('As senhas não são iguais.')
    await expect(page.getByRole('alert')).toContainText('As senhas não são iguais.')
    await send('nova-senha', 'nova-senha')
    await page.waitForURL('**/login')
  },
)

own('um link usado, antigo, inventado ou sem código diz como pedir outro', async ({ page, product }) => {
  const ana = await joins(page)
  const first = await asksForLink(page, product, ana, 1)
  const second = await asksForLink(page, product, ana, 2)
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
  // A link that ends while the form is open.
  await password(page).fill('nova-senha')
  await repeated(page).fill('nova-senha')
  await redefine(page).click()
  await expect(page.getByRole('heading', { name: 'Este link expirou' })).toBeVisible()
  await page.goto('/redefinir-senha')
  await expect(page.getByRole('heading', { name: 'Abra o link do email' })).toBeVisible()
  await asksAgain.click()
  await page.waitForURL('**/esqueci-senha')
})

own(
  'quem redefine a senha no navegador onde está logado entra de novo e continua a compra',
  async ({ page, product }) => {
    const ana = await joins(page)
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
    await page.goto(await asksForLink(page, product, ana))
    await password(page).fill('nova-senha')
    await repeated(page).fill('nova-senha')
    await redefine(page).click()

    await page.waitForURL('**/login')
    await signIn(page, { ...ana, password: 'nova-senha' })
    await page.waitForURL('**/upsell')
  },
)
