/**
 * The product under test: one process per worker on free ports, with its sandbox and a fresh
 * database.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, type Page } from '@playwright/test'

import { PlanInterval } from '../../web/src/gen/garimpo/billing/v1/plan_pb'
import { clients } from './calls'
import { test as pageTest } from './page-test'

export { expect }

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const run = promisify(execFile)
const binary = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/garimpo')

/** A running product: its process, its folder and its addresses. */
export class Product {
  private readonly process: ChildProcess
  private readonly folder: string
  readonly url: string
  readonly sandbox: string

  private constructor(process: ChildProcess, folder: string, url: string, sandbox: string) {
    this.process = process
    this.folder = folder
    this.url = url
    this.sandbox = sandbox
  }

  static async start(settings: Record<string, string> = {}): Promise<Product> {
    const folder = mkdtempSync(join(tmpdir(), 'garimpo-browser-'))
    const log = openSync(join(folder, 'log'), 'a')
    const child = spawn(binary, ['serve'], {
      stdio: ['ignore', log, log],
      env: {
        GARIMPO_DATA_DIR: folder,
        GARIMPO_LISTEN: '127.0.0.1:0',
        GARIMPO_GRPC_LISTEN: '127.0.0.1:0',
        GARIMPO_SANDBOX_LISTEN: '127.0.0.1:0',
        GARIMPO_METRICS_LISTEN: '127.0.0.1:0',
        GARIMPO_BLACK_NOVEMBER: 'off',
        GARIMPO_LIMIT_CHECKOUT_READS_ADDRESS: '100000',
        GARIMPO_LIMIT_SIGN_UP_ADDRESS: '100000',
        ...settings,
      },
    })
    try {
      return await Product.waitUntilReady(child, folder)
    } catch (failure) {
      // Stop a process that did not start in time.
      child.kill('SIGKILL')
      throw failure
    }
  }

  private static async waitUntilReady(child: ChildProcess, folder: string): Promise<Product> {
    const file = join(folder, 'addresses.json')
    await waitUntil(() => existsSync(file) || child.exitCode !== null, 'addresses.json')
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'log'), 'utf8'))
    const addresses = JSON.parse(readFileSync(file, 'utf8'))
    const product = new Product(child, folder, addresses.public, addresses.sandbox)
    await waitUntil(
      async () => (await fetch(`${addresses.metrics}/readyz`).catch(() => null))?.ok ?? false,
      'readiness',
    )
    await product.waitForCatalog()
    return product
  }

  /**
   * Waits until the catalogue is at the provider: it is pushed after the start, and a checkout
   * needs it.
   */
  private async waitForCatalog() {
    const log = join(this.folder, 'log')
    await waitUntil(
      () => readFileSync(log, 'utf8').includes('catalog_push done'),
      'the catalogue at the provider',
    )
  }

  /**
   * Posts to a test endpoint of the sandbox, as the payment frame does. Returns the HTTP status.
   */
  async postToSandbox(path: string, body: unknown = {}) {
    const answer = await fetch(`${this.sandbox}/_test/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return answer.status
  }

  /** Reads an object of the provider's API. */
  async readFromProvider<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.sandbox}${path}`, {
      headers: { authorization: 'Bearer sk_test_garimpo' },
    })
    return (await answer.json()) as T
  }

  /** Runs `garimpo admin … --json` beside the running product. Returns its rows. */
  async runAdmin(...command: string[]): Promise<Record<string, unknown>[]> {
    const { stdout } = await run(binary, ['admin', ...command, '--json'], {
      env: { GARIMPO_DATA_DIR: this.folder },
    })
    return JSON.parse(stdout)
  }

  /** Injects a fault into the sandbox until `clearFaults`. */
  async injectFault(fault: unknown) {
    expect(await this.postToSandbox('faults', fault)).toBe(200)
  }

  /** Ends all injected faults. */
  async clearFaults() {
    await fetch(`${this.sandbox}/_test/faults`, { method: 'DELETE' })
  }

  readLog(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8')
  }

  stop() {
    this.process.kill('SIGKILL')
    const panicked = this.readLog().includes('panicked')
    rmSync(this.folder, { recursive: true, force: true })
    if (panicked) throw new Error('the product panicked')
  }
}

async function waitUntil(look: () => boolean | Promise<boolean>, what: string) {
  const deadline = Date.now() + 45_000
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

let personCount = 0

/** A new person with an unused email. */
export function newPerson() {
  personCount += 1
  const id = `${process.pid}.${Date.now()}.${personCount}`
  return { name: 'Ana Maria Souza', email: `ana.${id}@exemplo.com.br`, password: 'segredo1' }
}

export type Person = ReturnType<typeof newPerson>

export const test = pageTest.extend<{ product: Product }, { shared: Product }>({
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner asks for an object pattern
    async ({}, use) => {
      const product = await Product.start()
      await use(product)
      product.stop()
    },
    { scope: 'worker' },
  ],
  product: async ({ shared }, use) => {
    await use(shared)
    // A failed test must not leave its faults to the next one.
    await shared.clearFaults()
  },
  baseURL: async ({ product }, use) => use(product.url),
})

/** For `test.extend`: each test starts its own product with these settings. */
export const productPerTest = (settings: Record<string, string> = {}) => ({
  // biome-ignore lint/correctness/noEmptyPattern: the runner asks for an object pattern
  product: async ({}, use: (product: Product) => Promise<void>) => {
    const product = await Product.start(settings)
    await use(product)
    product.stop()
  },
})

/**
 * Waits for the form of the new page: the address changes first, and both forms have an 'Email'.
 */
async function waitForForm(page: Page, submit: string) {
  await expect(page.getByRole('button', { name: submit, exact: true })).toBeVisible()
}

/** Fills the sign-up form of the page that is open. */
export async function signUp(page: Page, who: Person) {
  await waitForForm(page, 'Criar conta')
  await page.getByLabel('Nome completo').fill(who.name)
  await page.getByLabel('Email').fill(who.email)
  await page.getByLabel('Senha', { exact: true }).fill(who.password)
  await page.getByRole('button', { name: 'Criar conta' }).click()
}

/** Fills the login form of the page that is open. */
export async function signIn(page: Page, who: Person) {
  await waitForForm(page, 'Entrar')
  await page.getByLabel('Email').fill(who.email)
  await page.getByLabel('Senha', { exact: true }).fill(who.password)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
}

/** Chooses a plan on /planos, signed in or not. */
export async function choosePlan(page: Page, card: string, tab?: string) {
  await page.goto('/planos')
  const region = page.getByRole('region', { name: card, exact: true })
  if (tab) await region.getByRole('tab', { name: tab }).click()
  await region.getByRole('button', { name: /Assinar Agora|Testar grátis/ }).click()
}

/** Creates an account and its session in this browser, without the form. */
export async function createAccount(page: Page, who = newPerson()): Promise<Person> {
  const { user } = await clients(page).auth.signUp({
    email: who.email,
    password: who.password,
    displayName: who.name,
  })
  await store(page, {
    uid: user?.uid,
    userEmail: who.email,
    userName: who.name,
    registrationDate: new Date().toISOString(),
  })
  return who
}

/** Writes values to localStorage. */
async function store(page: Page, values: Record<string, string | undefined>) {
  // A page of this origin without scripts.
  await page.goto('/robots.txt')
  await page.evaluate((all) => {
    for (const [key, value] of Object.entries(all)) if (value) localStorage.setItem(key, value)
  }, values)
}

/** Stores Elite Nível 2 by the month as the chosen plan, as its card does. */
export async function storeElitePlan(page: Page) {
  await page.evaluate(() =>
    localStorage.setItem(
      'selectedPlan',
      JSON.stringify({
        name: 'Elite Nível 2',
        price: 'R$ 217,90',
        period: '/mês',
        priceRaw: '217.90',
        interval: 'month',
      }),
    ),
  )
}

/** The payer of a test boleto. */
const BOLETO_PAYMENT = { boleto: { tax_id: '529.982.247-25' } }

/**
 * Creates an account with a subscription, without the pages. It is paid by the card of this number
 * or by a boleto that is paid at once (`boleto`), or its boleto is unpaid (`open boleto`). Returns
 * the person and the checkout session.
 */
export async function createSubscriber(
  page: Page,
  product: Product,
  planName: string,
  how: PurchaseOptions = {},
): Promise<{ who: Person; session: string }> {
  const who = await createAccount(page)
  const session = await buyByApi(page, product, who, planName, how)
  return { who, session }
}

/** Buys for an account that is signed in, without the pages. */
export async function buyByApi(
  page: Page,
  product: Product,
  { email }: Person,
  planName: string,
  { interval = 'mensal', by = '4242424242424242' }: PurchaseOptions = {},
): Promise<string> {
  const made = await page.request.post('/create-embedded-checkout-session', {
    data: { email, planName, interval },
  })
  const { clientSecret } = (await made.json()) as { clientSecret: string }
  const session = clientSecret.split('_secret_')[0] ?? ''
  const byBoleto = by.endsWith('boleto')
  expect(await product.postToSandbox(`checkout/${session}`, byBoleto ? BOLETO_PAYMENT : { card: by })).toBe(
    200,
  )
  if (by === 'boleto') expect(await product.postToSandbox(`boletos/${session}/pay`)).toBe(200)
  await waitForUserRecord(
    page,
    (user) => user.subscription_status === (by === 'open boleto' ? 'awaiting_payment' : 'active'),
  )
  return session
}

/** `by` is a number of a card, `boleto` or `open boleto`. */
type PurchaseOptions = { interval?: string; by?: string }

/** Test card that requires authentication at each payment. */
const AUTHENTICATION_CARD = '4000002760003184'

/**
 * Creates a subscriber whose renewal requires authentication. Advances the clock, so the test needs
 * its own product.
 */
export async function createUnconfirmedRenewal(page: Page, product: Product): Promise<Person> {
  const { who } = await createSubscriber(page, product, 'Elite Nível 2', { by: AUTHENTICATION_CARD })
  await page.request.post(`${product.sandbox}/clock`, {
    data: { advance_seconds: 30 * 86_400 + 2 * 3_600, keep_sessions: true },
  })
  await waitForUserRecord(page, (user) => user.subscription_status === 'suspended')
  return who
}

type UserRecord = {
  uid: string
  subscription_plan: string | null
  subscription_active: boolean | null
  subscription_status: string | null
}

/** Waits until the record of the signed-in user matches, because provider events arrive later. */
export async function waitForUserRecord(page: Page, matches: (user: UserRecord) => boolean) {
  const { user } = (await (await page.request.get('/api/auth/check-cookie')).json()) as {
    user: { uid: string }
  }
  const record = async () => (await (await page.request.get(`/api/users/${user.uid}`)).json()) as UserRecord
  await expect.poll(async () => matches(await record()), 'the user record').toBe(true)
}

type Plan = { name: string; group: string; tab: string | null; monthly: { price_centavos: number } }
const { plans }: { plans: Plan[] } = JSON.parse(readFileSync(join(root, 'web/src/gen/catalog.json'), 'utf8'))

/**
 * Opens /upsell with a new account and a chosen plan. `walkToUpsell` does the same through the
 * pages.
 */
export async function arriveAtUpsell(page: Page, card: string, tab: string): Promise<Person> {
  const plan = plans.find(({ group, tab: level }) => group === card && level === tab)
  if (!plan) throw new Error(`no ${card} ${tab} on the cards`)
  const amount = (plan.monthly.price_centavos / 100).toFixed(2)
  const chosen = {
    name: plan.name,
    price: `R$ ${amount.replace('.', ',')}`,
    period: '/mês',
    priceRaw: amount,
    interval: 'month',
    couponCode: null,
    couponId: null,
  }
  const who = await createAccount(page)
  await store(page, { selectedPlan: JSON.stringify(chosen) })
  await page.goto('/upsell')
  return who
}

/** Chooses a plan as a new visitor, signs up and waits for /upsell. */
export async function walkToUpsell(page: Page, card: string, tab?: string): Promise<Person> {
  const who = newPerson()
  await choosePlan(page, card, tab)
  await page.waitForURL('**/cadastro')
  await signUp(page, who)
  await page.waitForURL('**/upsell')
  return who
}

/** Accepts an offer on /upsell. Returns the checkout tab. */
export async function takeOffer(page: Page, offer: string): Promise<Page> {
  const card = page.getByRole('region', { name: offer, exact: true })
  await card.getByRole('button', { name: 'Aproveitar Oferta' }).click()
  const tab = page.waitForEvent('popup')
  await page.getByRole('dialog').getByRole('button', { name: 'Confirmar' }).click()
  return tab
}

/** Changes to a plan by the month, without the pages. */
export async function changePlan(page: Page, plan: string) {
  const { billing } = clients(page)
  const { previewToken } = await billing.previewPlanChange({ planId: plan, interval: PlanInterval.MONTHLY })
  await billing.changePlan({ previewToken })
}

interface Mail {
  to: string
  text: string
}

/** Returns the newest mailed link with this path, once `count` of them were mailed. */
export async function waitForMailedLink(
  product: Product,
  email: string,
  path: string,
  count: number,
): Promise<string> {
  const link = new RegExp(`http\\S+${path}\\?code=\\S+`)
  let found: string[] = []
  await expect
    .poll(async () => {
      const mails = (await (await fetch(`${product.sandbox}/mail.json`)).json()) as Mail[]
      found = mails.flatMap(({ to, text }) => (to === email ? (text.match(link) ?? []) : []))
      return found.length
    })
    .toBe(count)
  return found[0] ?? ''
}
