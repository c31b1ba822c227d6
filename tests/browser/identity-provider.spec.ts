/**
 * The site with the external identity provider: its emulator behind a proxy that can inject faults.
 */
import { createServer, type Server, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, newPerson, type Person, Product, signIn, signUp, test } from './product'

const emulator = process.env.GARIMPO_TEST_IDENTITY_EMULATOR

/**
 * A proxy in front of one project of the emulator. demo-garimpo distinguishes an unknown email from
 * a wrong password, and demo-protegido does not.
 */
class Provider {
  private readonly project: string
  private readonly server: Server
  private faults: { path: string; status: number; message: string }[] = []

  private constructor(project: string) {
    this.project = project
    this.server = createServer((call, answer) => {
      const fault = this.faults.find(({ path }) =>
        new URL(call.url ?? '/', 'http://proxy').pathname.endsWith(path),
      )
      if (fault) {
        answer.writeHead(fault.status, { 'content-type': 'application/json' })
        answer.end(JSON.stringify({ error: { code: fault.status, message: fault.message } }))
        return
      }
      const passed = sendRequest(`${emulator}/${project}${call.url}`, {
        method: call.method,
        headers: { ...call.headers, host: 'emulator' },
      })
      passed.on('response', (given) => {
        answer.writeHead(given.statusCode ?? 502, { 'content-type': 'application/json' })
        given.pipe(answer)
      })
      call.pipe(passed)
    })
  }

  static async start(project: string): Promise<Provider> {
    if (!emulator)
      throw new Error(
        'GARIMPO_TEST_IDENTITY_EMULATOR is not set: `tests/setup/identity.sh DIR` starts the emulator and prints it',
      )
    const provider = new Provider(project)
    await new Promise<void>((done) => provider.server.listen(0, '127.0.0.1', done))
    return provider
  }

  settings(): Record<string, string> {
    return {
      GARIMPO_IDENTITY: 'identity-toolkit',
      GARIMPO_IDENTITY_URL: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/identitytoolkit.googleapis.com`,
      GARIMPO_IDENTITY_API_KEY: 'chave-de-teste',
      GARIMPO_IDENTITY_PROJECT: this.project,
      GARIMPO_IDENTITY_EMULATOR: '1',
    }
  }

  /** Fails calls whose path ends so, until `clearFaults`. */
  injectFault(path: string, status: number, message: string) {
    this.faults.push({ path, status, message })
  }

  clearFaults() {
    this.faults = []
  }

  /** Stops the proxy. */
  async stop() {
    this.server.closeAllConnections()
    await new Promise((done) => this.server.close(done))
  }
}

type Setup = { provider: Provider; product: Product; protectedProduct: Product }

const isolatedTest = test.extend<object, { setup: Setup; shared: Product }>({
  setup: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner asks for an object pattern
    async ({}, use) => {
      const [provider, protectedProvider] = await Promise.all([
        Provider.start('demo-garimpo'),
        Provider.start('demo-protegido'),
      ])
      const [product, protectedProduct] = await Promise.all([
        Product.start(provider.settings()),
        Product.start(protectedProvider.settings()),
      ])
      await use({ provider, product, protectedProduct })
      product.stop()
      protectedProduct.stop()
      await Promise.all([provider.stop(), protectedProvider.stop()])
    },
    { scope: 'worker' },
  ],
  shared: [async ({ setup }, use) => use(setup.product), { scope: 'worker' }],
})

// Faults of the provider affect all tests, so they run one after another.
isolatedTest.describe.configure({ mode: 'serial' })
isolatedTest.afterEach(({ setup }) => setup.provider.clearFaults())

isolatedTest(
  'a user signs up, and signs in with a password changed through the link of our email',
  async ({ page, product }) => {
    const ana = newPerson()
    await page.goto('/cadastro')
    await signUp(page, ana)
    await page.waitForURL('**/account-confirmation')
    await page.goto('/esqueci-senha')
    await page.getByLabel('Email', { exact: true }).fill(ana.email)
    await page.getByRole('button', { name: 'Enviar Email de Recuperação' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Email de recuperação enviado' })).toContainText(
      'Verifique sua caixa de entrada',
    )

    await page.goto(await waitForRecoveryLink(product, ana))
    await page.getByLabel('Nova senha', { exact: true }).fill('nova-senha')
    await page.getByLabel('Confirmar nova senha', { exact: true }).fill('nova-senha')
    await page.getByRole('button', { name: 'Redefinir senha' }).click()
    await page.waitForURL('**/login')
    await signIn(page, ana)
    await expect(page.getByRole('alert')).toContainText('Senha incorreta')
    await signIn(page, { ...ana, password: 'nova-senha' })
    await page.waitForURL('**/area-usuario')
  },
)

isolatedTest('each sign-in failure of the provider has its message', async ({ page, browser, setup }) => {
  const ana = newPerson()
  await page.goto('/cadastro')
  await signUp(page, ana)
  await page.waitForURL('**/account-confirmation')
  const visitor = await (await browser.newContext({ baseURL: setup.product.url })).newPage()
  const refused = async (who: Person, message: string) => {
    await visitor.goto('/login')
    await signIn(visitor, who)
    await expect(visitor.getByRole('alert')).toContainText(message)
  }

  await refused(newPerson(), 'Usuário não encontrado')
  await refused({ ...ana, password: 'errada!' }, 'Senha incorreta')
  for (const [status, code, message] of [
    [
      400,
      'TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been temporarily disabled',
      'Muitas tentativas. Tente novamente mais tarde',
    ],
    [400, 'USER_DISABLED', 'Email ou senha inválidos'],
    [400, 'OPERATION_NOT_ALLOWED', 'Erro ao fazer login. Tente novamente.'],
    [503, 'UNAVAILABLE', 'Erro ao fazer login. Tente novamente.'],
  ] as const) {
    setup.provider.injectFault(':signInWithPassword', status, code)
    await refused(ana, message)
    setup.provider.clearFaults()
  }
  await signIn(visitor, ana)
  await visitor.waitForURL('**/area-usuario')

  const elsewhere = await (await browser.newContext({ baseURL: setup.protectedProduct.url })).newPage()
  await elsewhere.goto('/login')
  await signIn(elsewhere, newPerson())
  await expect(elsewhere.getByRole('alert')).toContainText('Email ou senha inválidos')
})

isolatedTest('each sign-up failure of the provider has its message', async ({ page, setup }) => {
  const taken = newPerson()
  await page.goto('/cadastro')
  await signUp(page, taken)
  await page.waitForURL('**/account-confirmation')
  await page.context().clearCookies()
  await page.evaluate(() => localStorage.clear())
  const refused = async (who: Person, message: string) => {
    await page.goto('/cadastro')
    await signUp(page, who)
    await expect(page.getByText(message).first()).toBeVisible()
  }

  await refused(
    { ...taken, password: 'outra-senha' },
    'Este email já está em uso. Tente outro ou faça login.',
  )
  for (const [status, code, message] of [
    [
      400,
      'PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements',
      'A senha deve ter pelo menos 6 caracteres.',
    ],
    [400, 'INVALID_EMAIL', 'Email inválido. Verifique e tente novamente.'],
    [400, 'TOO_MANY_ATTEMPTS_TRY_LATER', 'Ocorreu um erro ao criar sua conta. Tente novamente.'],
    [503, 'UNAVAILABLE', 'Ocorreu um erro ao criar sua conta. Tente novamente.'],
  ] as const) {
    setup.provider.injectFault('accounts:signUp', status, code)
    await refused(newPerson(), message)
    setup.provider.clearFaults()
  }
})

isolatedTest(
  'without the provider the recovery shows the text of the server, and works afterwards',
  async ({ page, setup, pageErrors }) => {
    const send = page.getByRole('button', { name: 'Enviar Email de Recuperação' })
    setup.provider.injectFault('accounts:lookup', 503, 'UNAVAILABLE')
    await page.goto('/esqueci-senha')
    await page.getByLabel('Email', { exact: true }).fill(newPerson().email)
    await send.click()
    const alert = page.getByRole('alert').filter({ hasText: 'Erro ao enviar email' })
    await expect(alert).toContainText('Um serviço externo não respondeu. Tente novamente em instantes.')
    pageErrors.expect(/status of 5\d\d .*password-reset/)

    setup.provider.clearFaults()
    await send.click()
    await expect(page.getByText('um email com as instruções')).toBeVisible()
  },
)

/** Waits for the recovery mail and returns its link. */
async function waitForRecoveryLink(product: Product, who: Person): Promise<string> {
  let found: string | undefined
  await expect
    .poll(async () => {
      const mails = (await (await fetch(`${product.sandbox}/mail.json`)).json()) as {
        to: string
        text: string
      }[]
      found = mails.find(({ to }) => to === who.email)?.text.match(/http\S+\/redefinir-senha\?code=\S+/)?.[0]
      return found
    })
    .toBeTruthy()
  return found ?? ''
}
