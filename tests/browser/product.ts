/**
 * The product under test: one process per worker, on ports of its own, with its sandbox and a fresh
 * database.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { test as base, expect, type Page } from '@playwright/test'

import { PlanInterval } from '../../web/src/gen/garimpo/billing/v1/plan_pb'
import { clients } from './chamadas'
import { Complaints } from './complaints'

export { expect }

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const run = promisify(execFile)
const binary = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/garimpo')

/** Where the running product answers. */
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
      return await Product.ready(child, folder)
    } catch (failure) {
      // One that does not come up in time is not left behind.
      child.kill('SIGKILL')
      throw failure
    }
  }

  private static async ready(child: ChildProcess, folder: string): Promise<Product> {
    const file = join(folder, 'addresses.json')
    await until(() => existsSync(file) || child.exitCode !== null, 'addresses.json')
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'log'), 'utf8'))
    const addresses = JSON.parse(readFileSync(file, 'utf8'))
    const product = new Product(child, folder, addresses.public, addresses.sandbox)
    await until(
      async () => (await fetch(`${addresses.metrics}/readyz`).catch(() => null))?.ok ?? false,
      'readiness',
    )
    await product.sellsPlans()
    return product
  }

  /**
   * The catalogue is pushed to the provider after the start; a checkout waits for it for some
   * seconds.
   */
  private async sellsPlans() {
    const log = join(this.folder, 'log')
    await until(
      () => readFileSync(log, 'utf8').includes('catalog_push done'),
      'the catalogue at the provider',
    )
  }

  /** What a visitor does in the frame of the checkout, without the frame. */
  async act(path: string, body: unknown = {}) {
    const answer = await fetch(`${this.sandbox}/_test/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return answer.status
  }

  /** An object of the provider's API. */
  async provider<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.sandbox}${path}`, {
      headers: { authorization: 'Bearer sk_test_garimpo' },
    })
    return (await answer.json()) as T
  }

  /** What an operator's command with `--json` tells, beside the product that serves. */
  async admin(...command: string[]): Promise<Record<string, unknown>[]> {
    const { stdout } = await run(binary, ['admin', ...command, '--json'], {
      env: { GARIMPO_DATA_DIR: this.folder },
    })
    return JSON.parse(stdout)
  }

  /** Makes the world outside misbehave, until it heals. */
  async fails(fault: unknown) {
    expect(await this.act('faults', fault)).toBe(200)
  }

  /** Ends all faults. */
  async heals() {
    await fetch(`${this.sandbox}/_test/faults`, { method: 'DELETE' })
  }

  log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8')
  }

  stop() {
    this.process.kill('SIGKILL')
    const panicked = this.log().includes('panicked')
    rmSync(this.folder, { recursive: true, force: true })
    if (panicked) throw new Error('the product panicked')
  }
}

async function until(look: () => boolean | Promise<boolean>, what: string) {
  const deadline = Date.now() + 45_000
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

let people = 0

/** Somebody who has never been here. */
export function person() {
  people += 1
  const id = `${process.pid}.${Date.now()}.${people}`
  return { name: 'Ana Maria Souza', email: `ana.${id}@exemplo.com.br`, password: 'segredo1' }
}

export type Person = ReturnType<typeof person>

type Fixtures = {
  product: Product
  /**
   * Whether the question about advertising was answered (with no) before: it stands over every page
   * until then.
   */
  answered: boolean
  complaints: Complaints
}

export const test = base.extend<Fixtures, { shared: Product }>({
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
    // A test that failed leaves no fault to the next one.
    await shared.heals()
  },
  complaints: [
    async ({ browser, context }, use, info) => {
      const complaints = new Complaints()
      const stop = complaints.start(browser, context)
      await use(complaints)
      stop()
      // A test that ended early has not caused all that it expects.
      if (info.status === info.expectedStatus) await complaints.check()
    },
    { auto: true },
  ],
  answered: [true, { option: true }],
  context: async ({ context, answered }, use) => {
    if (answered) await context.addInitScript(answer)
    await use(context)
  },
  baseURL: async ({ product }, use) => use(product.url),
  // A prerendered page is there before its scripts: a test acts on one that answers.
  page: async ({ page }, use) => {
    const goto = page.goto.bind(page)
    page.goto = async (...where) => {
      const answer = await goto(...where)
      await expect(page.locator('#root[data-static]')).toHaveCount(0)
      return answer
    }
    await use(page)
  },
})

/** For `test.extend`: a product that each test has to itself, started with these settings. */
export const ownProduct = (settings: Record<string, string> = {}) => ({
  // biome-ignore lint/correctness/noEmptyPattern: the runner asks for an object pattern
  product: async ({}, use: (product: Product) => Promise<void>) => {
    const product = await Product.start(settings)
    await use(product)
    product.stop()
  },
})

/** Runs in the page: what 'Recusar' leaves there. */
function answer() {
  const refused = { allowed: false, version: '2026-11.3', at: new Date().toISOString() }
  try {
    if (!localStorage.getItem('adsConsent')) localStorage.setItem('adsConsent', JSON.stringify(refused))
  } catch {
    // A page without storage is asked.
  }
}

/** The address changes before the page does, and both forms have an 'Email'. */
async function formIsThere(page: Page, submit: string) {
  await expect(page.getByRole('button', { name: submit, exact: true })).toBeVisible()
}

/** Fills the sign-up form of the page that is open. */
export async function signUp(page: Page, who: Person) {
  await formIsThere(page, 'Criar conta')
  await page.getByLabel('Nome completo').fill(who.name)
  await page.getByLabel('Email').fill(who.email)
  await page.getByLabel('Senha', { exact: true }).fill(who.password)
  await page.getByRole('button', { name: 'Criar conta' }).click()
}

/** Fills the login form of the page that is open. */
export async function signIn(page: Page, who: Person) {
  await formIsThere(page, 'Entrar')
  await page.getByLabel('Email').fill(who.email)
  await page.getByLabel('Senha', { exact: true }).fill(who.password)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
}

/** Chooses a plan on /planos as a visitor or as somebody signed in. */
export async function choosePlan(page: Page, card: string, tab?: string) {
  await page.goto('/planos')
  const region = page.getByRole('region', { name: card, exact: true })
  if (tab) await region.getByRole('tab', { name: tab, exact: true }).click()
  await region.getByRole('button', { name: /Assinar Agora|Testar grátis/ }).click()
}

/** An account and its session in this browser, without the form. */
export async function joins(page: Page, who = person()): Promise<Person> {
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

/** Puts values where the pages keep theirs. */
async function store(page: Page, values: Record<string, string | undefined>) {
  // A page of the site without any behaviour.
  await page.goto('/robots.txt')
  await page.evaluate((all) => {
    for (const [key, value] of Object.entries(all)) if (value) localStorage.setItem(key, value)
  }, values)
}

/**
 * Keeps Elite Nível 2 by the month in the browser of an open page, as its card does when chosen.
 */
export async function keepElite(page: Page) {
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

/** How somebody pays: a test card's number, or by boleto. */
const BOLETO = { boleto: { tax_id: '529.982.247-25' } }

/**
 * Somebody new with a paid subscription, without the pages: by the card of this number, or by a
 * boleto that is paid at once (`boleto`) or waits (`open boleto`). Answers the person and the
 * checkout's session.
 */
export async function subscribes(
  page: Page,
  product: Product,
  planName: string,
  how: HowToBuy = {},
): Promise<{ who: Person; session: string }> {
  const who = await joins(page)
  const session = await buys(page, product, who, planName, how)
  return { who, session }
}

/** Buys for an account that is signed in, without the pages. */
export async function buys(
  page: Page,
  product: Product,
  { email }: Person,
  planName: string,
  { interval = 'mensal', by = '4242424242424242' }: HowToBuy = {},
): Promise<string> {
  const made = await page.request.post('/create-embedded-checkout-session', {
    data: { email, planName, interval },
  })
  const { clientSecret } = (await made.json()) as { clientSecret: string }
  const session = clientSecret.split('_secret_')[0] ?? ''
  const byBoleto = by.endsWith('boleto')
  expect(await product.act(`checkout/${session}`, byBoleto ? BOLETO : { card: by })).toBe(200)
  if (by === 'boleto') expect(await product.act(`boletos/${session}/pay`)).toBe(200)
  await becomes(
    page,
    (user) => user.subscription_status === (by === 'open boleto' ? 'awaiting_payment' : 'active'),
  )
  return session
}

/** `by` is a number of a card, `boleto` or `open boleto`. */
type HowToBuy = { interval?: string; by?: string }

/** Asks for authentication at every payment. */
const ASKS = '4000002760003184'

/**
 * Somebody whose renewal waits for authentication. Walks the clock, so the product must be the
 * test's own.
 */
export async function withWaitingRenewal(page: Page, product: Product): Promise<Person> {
  const { who } = await subscribes(page, product, 'Elite Nível 2', { by: ASKS })
  await page.request.post(`${product.sandbox}/clock`, {
    data: { advance_seconds: 30 * 86_400 + 2 * 3_600, keep_sessions: true },
  })
  await becomes(page, (user) => user.subscription_status === 'suspended')
  return who
}

type UserRecord = {
  uid: string
  subscription_plan: string | null
  subscription_active: boolean | null
  subscription_status: string | null
}

/** Waits until the record of who is signed in says so: events of the provider take their way. */
export async function becomes(page: Page, says: (user: UserRecord) => boolean) {
  const { user } = (await (await page.request.get('/api/auth/check-cookie')).json()) as {
    user: { uid: string }
  }
  const record = async () => (await (await page.request.get(`/api/users/${user.uid}`)).json()) as UserRecord
  await expect.poll(async () => says(await record()), 'the user record').toBe(true)
}

type Plan = { name: string; group: string; tab: string | null; monthly: { price_centavos: number } }
const { plans }: { plans: Plan[] } = JSON.parse(readFileSync(join(root, 'web/src/gen/catalog.json'), 'utf8'))

/**
 * Somebody new on /upsell with an account and a plan of a card; `walkToUpsell` comes there by the
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
  const who = await joins(page)
  await store(page, { selectedPlan: JSON.stringify(chosen) })
  await page.goto('/upsell')
  return who
}

/** A new visitor who chooses a plan, makes an account and so comes to /upsell. */
export async function walkToUpsell(page: Page, card: string, tab?: string): Promise<Person> {
  const who = person()
  await choosePlan(page, card, tab)
  await page.waitForURL('**/cadastro')
  await signUp(page, who)
  await page.waitForURL('**/upsell')
  return who
}

/** Takes an offer on /upsell and answers the checkout tab. */
export async function takeOffer(page: Page, offer: string): Promise<Page> {
  const card = page.getByRole('region', { name: offer, exact: true })
  await card.getByRole('button', { name: 'Aproveitar Oferta' }).click()
  const tab = page.waitForEvent('popup')
  await page.getByRole('dialog').getByRole('button', { name: 'Confirmar' }).click()
  return tab
}

/** Changes to a plan by the month, without the pages. */
export async function changesPlan(page: Page, plan: string) {
  const { billing } = clients(page)
  const { previewToken } = await billing.previewPlanChange({ planId: plan, interval: PlanInterval.MONTHLY })
  await billing.changePlan({ previewToken })
}

interface Mail {
  to: string
  text: string
}

/** The newest link of a path that was mailed, once there are so many. */
export async function mailedLink(
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
