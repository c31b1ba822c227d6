/** The site with the outside identity provider, by its own emulator behind a door that can fail as it never does. */
import { request as ask, createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Person, Product, person, signIn, signUp, test } from './product'

const emulator = process.env.GARIMPO_TEST_IDENTITY_EMULATOR

/** A project of the provider: demo-garimpo tells an unknown email from a wrong password, demo-protegido does not. */
class Provider {
  private readonly project: string
  private readonly server: Server
  private faults: { path: string; status: number; message: string }[] = []

  private constructor(project: string) {
    this.project = project
    this.server = createServer((call, answer) => {
      const fault = this.faults.find(({ path }) =>
        new URL(call.url ?? '/', 'http://door').pathname.endsWith(path),
      )
      if (fault) {
        answer.writeHead(fault.status, { 'content-type': 'application/json' })
        answer.end(JSON.stringify({ error: { code: fault.status, message: fault.message } }))
        return
      }
      const passed = ask(`${emulator}/${project}${call.url}`, {
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

  static async of(project: string): Promise<Provider> {
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

  /** Answers calls whose path ends so, until it heals. */
  fails(path: string, status: number, message: string) {
    this.faults.push({ path, status, message })
  }

  heals() {
    this.faults = []
  }

  /** Is reached no more. */
  async ends() {
    this.server.closeAllConnections()
    await new Promise((done) => this.server.close(done))
  }
}

type World = { provider: Provider; product: Product; silent: Product }

const own = test.extend<object, { world: World; shared: Product }>({
  world: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner asks for an object pattern
    async ({}, use) => {
      const [provider, quiet] = await Promise.all([
        Provider.of('demo-garimpo'),
        Provider.of('demo-protegido'),
      ])
      const [product, silent] = await Promise.all([
        Product.start(provider.settings()),
        Product.start(quiet.settings()),
      ])
      await use({ provider, product, silent })
      product.stop()
      silent.stop()
      await Promise.all([provider.ends(), quiet.ends()])
    },
    { scope: 'worker' },
  ],
  shared: [async ({ world }, use) => use(world.product), { scope: 'worker' }],
})

// The provider's faults are everybody's.
own.describe.configure({ mode: 'serial' })
own.afterEach(({ world }) => world.provider.heals())

own('do cadastro ao login com a senha trocada pelo link do nosso email', async ({ page, product }) => {
  const ana = person()
  await page.goto('/cadastro')
  await signUp(page, ana)
  await page.waitForURL('**/account-confirmation')
  await page.goto('/esqueci-senha')
  await page.getByLabel('Email', { exact: true }).fill(ana.email)
  await page.getByRole('button', { name: 'Enviar Email de Recuperação' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Email de recuperação enviado' })).toContainText(
    'Verifique sua caixa de entrada',
  )

  await page.goto(await link(product, ana))
  await page.getByLabel('Nova senha', { exact: true }).fill('nova-senha')
  await page.getByLabel('Confirmar nova senha', { exact: true }).fill('nova-senha')
  await page.getByRole('button', { name: 'Redefinir senha' }).click()
  await page.waitForURL('**/login')
  await signIn(page, ana)
  await expect(page.getByRole('alert')).toContainText('Senha incorreta')
  await signIn(page, { ...ana, password: 'nova-senha' })
  await page.waitForURL('**/area-usuario')
})

own('cada falha do login que o provedor dá tem a sua mensagem', async ({ page, browser, world }) => {
  const ana = person()
  await page.goto('/cadastro')
  await signUp(page, ana)
  await page.waitForURL('**/account-confirmation')
  const visitor = await (await browser.newContext({ baseURL: world.product.url })).newPage()
  const refused = async (who: Person, message: string) => {
    await visitor.goto('/login')
    await signIn(visitor, who)
    await expect(visitor.getByRole('alert')).toContainText(message)
  }

  await refused(person(), 'Usuário não encontrado')
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
    world.provider.fails(':signInWithPassword', status, code)
    await refused(ana, message)
    world.provider.heals()
  }
  await signIn(visitor, ana)
  await visitor.waitForURL('**/area-usuario')

  const elsewhere = await (await browser.newContext({ baseURL: world.silent.url })).newPage()
  await elsewhere.goto('/login')
  await signIn(elsewhere, person())
  await expect(elsewhere.getByRole('alert')).toContainText('Email ou senha inválidos')
})

own('cada falha do cadastro que o provedor dá tem a sua mensagem', async ({ page, world }) => {
  const taken = person()
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
    world.provider.fails('accounts:signUp', status, code)
    await refused(person(), message)
    world.provider.heals()
  }
})

own(
  'com o provedor fora do ar a recuperação diz o texto do servidor, e depois segue',
  async ({ page, world, complaints }) => {
    const send = page.getByRole('button', { name: 'Enviar Email de Recuperação' })
    world.provider.fails('accounts:lookup', 503, 'UNAVAILABLE')
    await page.goto('/esqueci-senha')
    await page.getByLabel('Email', { exact: true }).fill(person().email)
    await send.click()
    const alert = page.getByRole('alert').filter({ hasText: 'Erro ao enviar email' })
    await expect(alert).toContainText('Um serviço externo não respondeu. Tente novamente em instantes.')
    complaints.expect(/status of 5\d\d .*password-reset/)

    world.provider.heals()
    await send.click()
    await expect(page.getByText('um email com as instruções')).toBeVisible()
  },
)

/** The link of the recovery mail, once it is there. */
async function link(product: Product, who: Person): Promise<string> {
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
