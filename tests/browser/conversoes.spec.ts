/**
 * What reaches the platforms, whole, of real purchases. The reviewed bodies stand in snapshots/conversoes-*.json; a change
 * that is meant is written anew by `npx playwright test conversoes --update-snapshots`, and read before it is committed.
 */
import { createHash } from 'node:crypto'
import type { Page } from '@playwright/test'
import { issueBoleto, openedSession } from './payment-frame'
import {
  abroad,
  anOffer,
  banner,
  becomesAccount,
  buysByCard,
  noOffer,
  toldByPages,
  toldByServer,
  uidOf,
} from './plataformas'
import { arriveAtUpsell, expect, ownProduct, type Product, person, takeOffer, test } from './product'

test.use({ answered: false })

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** What the platforms were told about a purchase, by the page and by the server; what differs from run to run is named, once it is what it must be. */
async function bodies(
  page: Page,
  product: Product,
  about: { uid: string; email: string; session: string },
): Promise<string> {
  const subjects = [about.uid, about.session]
  const [pages, server] = [await toldByPages(product, subjects), await toldByServer(product, subjects)]
  const { now } = (await (await fetch(`${product.sandbox}/clock`)).json()) as { now: string }
  for (const { event } of server) {
    const ago = new Date(now).getTime() / 1000 - event.event_time
    expect(ago, event.event_id).toBeGreaterThanOrEqual(-1)
    expect(ago, event.event_id).toBeLessThan(120)
  }
  const cookies = await page.context().cookies()
  const names: [string | undefined, string][] = [
    [product.url, '{site}'],
    [sha256(about.uid), '{sha256 of uid}'],
    [sha256(about.email), '{sha256 of email}'],
    [about.uid, '{uid}'],
    [about.session, '{session}'],
    [await page.evaluate(() => navigator.userAgent), '{browser}'],
    [cookies.find(({ name }) => name === '_fbp')?.value, '{_fbp}'],
  ]
  let text = JSON.stringify({ pages, server }, null, 2)
  for (const [value, name] of names) if (value) text = text.replaceAll(value, name)
  return `${text.replace(/"event_time": \d+/g, '"event_time": "{now}"').replace(/fb\.1\.\d{13}\.IwAR/g, 'fb.1.{click}.IwAR')}\n`
}

test('com permissão, cada evento do cadastro à compra no cartão chega às plataformas com este corpo', async ({
  page,
  product,
}) => {
  const ana = person()
  await page.goto('/planos?utm_source=instagram&utm_campaign=verao&fbclid=IwAR2F4-dbP0&gclid=Cj0KCQ')
  await banner(page).getByRole('button', { name: 'Aceitar' }).click()

  const uid = await becomesAccount(page, ana)
  // From here on the pixel has its cookie, and the server's events name it.
  await expect.poll(async () => (await toldByPages(product, [uid])).length).toBe(2)
  const session = await buysByCard(page, anOffer)

  await expect.poll(async () => (await toldByPages(product, [uid, session])).length).toBe(6)
  await expect.poll(async () => (await toldByServer(product, [uid, session])).length).toBe(5)
  const told = await bodies(page, product, { uid, session, email: ana.email })
  expect(told).toMatchSnapshot('conversoes-cartao.json')
  // Nothing personal is plain: the server alone tells it, hashed, and nothing of it goes by the page.
  expect(told).not.toMatch(/@|Ana|Souza|98765/)
})

test('com permissão, o boleto chega às plataformas com este corpo, e o pagamento só quando é pago', async ({
  page,
  product,
}) => {
  await page.goto('/planos')
  await banner(page).getByRole('button', { name: 'Aceitar' }).click()
  const { email } = await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  const [uid, session] = [await uidOf(page), await openedSession(tab)]
  await expect.poll(async () => (await toldByPages(product, [session])).length).toBe(2)

  await issueBoleto(tab)
  await page.waitForURL('**/payment-awaited**')
  await expect
    .poll(async () => (await toldByServer(product, [session])).map(({ event }) => event.event_name))
    .toEqual(['checkout_finalizado', 'checkout_iniciado'])

  await tab.getByRole('button', { name: 'Simular pagamento' }).click()
  await page.waitForURL('**/payment-success**', { timeout: 30_000 })
  await expect.poll(async () => (await toldByServer(product, [uid, session])).length).toBe(4)
  expect(await bodies(page, product, { uid, session, email })).toMatchSnapshot('conversoes-boleto.json')
})

/** It walks the clock, so it has a product of its own. */
const own = test.extend<{ product: Product }>(ownProduct())

async function walks(product: Product, seconds: number) {
  const body = JSON.stringify({ advance_seconds: seconds, keep_sessions: true })
  const answer = await fetch(`${product.sandbox}/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(answer.status).toBe(200)
}

/** Why each conversion in a state of the queue failed or was dropped. */
async function conversions(product: Product, state: 'waiting' | 'done' | 'parked') {
  const jobs = await product.admin('jobs', 'list', '--kind', 'conversion', '--state', state)
  return jobs.map(({ last_error }) => last_error)
}

own(
  'com recusa, da visita à renovação ninguém de fora sabe de nada, e a contagem sem identificação continua',
  async ({ page, context, product }) => {
    const seen = abroad(context, product.url)
    await page.goto('/planos?utm_source=instagram&utm_campaign=verao&fbclid=IwAR2F4-dbP0&gclid=Cj0KCQ')
    await banner(page).getByRole('button', { name: 'Recusar' }).click()
    await expect(banner(page)).toHaveCount(0)
    await becomesAccount(page, person())
    await buysByCard(page, noOffer)
    // Both events of the payment were weighed by the server, and told to nobody; they are forgotten before the renewal comes.
    await expect
      .poll(() => conversions(product, 'done'))
      .toEqual(['dropped: no consent', 'dropped: no consent'])
    await walks(product, 31 * 86_400)
    const invoices = async () => {
      const answer = await fetch(`${product.sandbox}/v1/invoices`, {
        headers: { authorization: 'Bearer sk_test_garimpo' },
      })
      const { data } = (await answer.json()) as { data: { status: string; billing_reason: string }[] }
      return data.map(({ status, billing_reason }) => `${billing_reason} ${status}`)
    }
    await expect.poll(invoices).toEqual(['subscription_cycle paid', 'subscription_create paid'])

    await expect.poll(() => conversions(product, 'done')).toEqual(['dropped: no consent'])
    expect([...(await conversions(product, 'waiting')), ...(await conversions(product, 'parked'))]).toEqual(
      [],
    )
    for (const list of ['/graph/events.json', '/pixel/events.json'])
      expect(await (await fetch(product.sandbox + list)).json(), list).toEqual([])
    // The frame of the payment provider is no advertising.
    const provider = ['/v3', '/assets/', '/v1'].map((path) => product.sandbox + path)
    expect(seen.filter((url) => !provider.some((own) => url.startsWith(own)))).toEqual([])
    const kept = await page.evaluate(() => [
      localStorage.getItem('adClicks'),
      sessionStorage.getItem('adClicks'),
      document.cookie,
    ])
    expect(kept).toEqual([null, null, ''])

    const steps = {
      landing: 1,
      plans: 1,
      signup: 1,
      signed_up: 1,
      upsell: 1,
      checkout_started: 1,
      finished: 1,
      paid: 1,
    }
    const sum = async (rows: Promise<Record<string, unknown>[]>, name: string) =>
      (await rows).reduce((all, row) => all + Number(row[name]), 0)
    const counted = async () => {
      const days = product.admin('funnel', '--days', '40')
      return Object.fromEntries(
        await Promise.all(Object.keys(steps).map(async (step) => [step, await sum(days, step)])),
      )
    }
    await expect.poll(counted).toEqual(steps)
    const origins = product
      .admin('attribution')
      .then((rows) => rows.filter(({ source, campaign }) => source === 'instagram' && campaign === 'verao'))
    for (const name of ['visits', 'sign_ups', 'paid', 'purchases'])
      expect(await sum(origins, name), name).toBe(1)
  },
)

own('permissão retirada enquanto um aviso espera na fila impede que ele saia', async ({ page, product }) => {
  await product.fails({ path: '/graph/v26.0', drop: true })
  await page.goto('/planos')
  await banner(page).getByRole('button', { name: 'Aceitar' }).click()
  await becomesAccount(page, person())
  await expect.poll(async () => (await conversions(product, 'waiting')).length).toBe(1)

  await page.goto('/sobre')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Preferências de privacidade' }).click()
  const told = page.waitForResponse('**/garimpo.users.v1.UserService/SaveConsent')
  await page.getByRole('checkbox', { name: 'Medição de anúncios' }).uncheck()
  await page.getByRole('button', { name: 'Salvar escolha' }).click()
  expect((await told).status()).toBe(200)
  await product.heals()
  await walks(product, 2 * 3600)

  await expect.poll(() => conversions(product, 'done')).toEqual(['dropped: no consent'])
  expect(await (await fetch(`${product.sandbox}/graph/events.json`)).json()).toEqual([])
})
