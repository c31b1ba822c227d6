import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Locator, Page, Request } from '@playwright/test'
import { fits, isAccessible } from './acessibilidade'
import { expect, openedSession, payByCard, person, signUp, takeOffer, test } from './product'

test.use({ answered: false })

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const { routes }: { routes: { path: string }[] } = JSON.parse(readFileSync(join(root, 'web/dist/routes.json'), 'utf8'))

const banner = (page: Page) => page.getByRole('region', { name: 'Sua privacidade' })

/** Requests of any page of the browser that go to another origin. */
function abroad(context: BrowserContext, own: string): string[] {
  const seen: string[] = []
  context.on('request', (request: Request) => {
    const url = request.url()
    if (!url.startsWith(own) && !url.startsWith('data:')) seen.push(url)
  })
  return seen
}

type Told = { platform: string; name: string; event_id: string; id: string; data: Record<string, unknown> }

/** What the platforms' scripts told from pages about these subjects. */
async function toldByPages(page: Page, sandbox: string, subjects: string[]): Promise<Told[]> {
  const told = (await (await page.request.get(`${sandbox}/pixel/events.json`)).json()) as Told[]
  return told.filter((event) => subjects.some((subject) => event.event_id.endsWith(`:${subject}`))).reverse()
}

/** What the server told the platform about these subjects. */
async function toldByServer(page: Page, sandbox: string, subjects: string[]): Promise<string[]> {
  const text = await (await page.request.get(`${sandbox}/graph/events.json`)).text()
  return [...text.matchAll(/"event_id":"([^"]+)"/g)]
    .map(([, id]) => id ?? '')
    .filter((id) => subjects.some((subject) => id.endsWith(`:${subject}`)))
}

const uidOf = (page: Page) => page.evaluate(() => localStorage.getItem('uid') ?? '')

/** From the plans to a paid card; answers the account and the checkout's session. */
async function buys(page: Page): Promise<[string, string]> {
  await page.getByRole('region', { name: 'Elite', exact: true }).getByRole('button', { name: /Testar grátis/ }).click()
  await page.waitForURL('**/cadastro')
  await signUp(page, person())
  await page.waitForURL('**/upsell')
  const tab = await takeOffer(page, 'Anual')
  const session = await openedSession(tab)
  await payByCard(tab, '4242424242424242')
  await page.waitForURL('**/payment-success**')
  return [await uidOf(page), session]
}

test('sem resposta e com recusa nada sai para terceiros, em rota nenhuma, nem da página nem do servidor', async ({ page, context, product, complaints }) => {
  test.slow()
  const seen = abroad(context, product.url)
  for (const { path } of [...routes, { path: '/nao-existe' }]) {
    await page.goto(`${path}?utm_source=instagram&fbclid=IwAR2F4-dbP0&gclid=Cj0KCQ`)
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  }
  expect(seen).toEqual([])
  // The browser names the answer 404 of the page that does not exist.
  complaints.length = 0

  await page.goto('/planos?fbclid=IwAR2F4-dbP0')
  await banner(page).getByRole('button', { name: 'Recusar' }).click()
  await expect(banner(page)).toHaveCount(0)
  const [uid, session] = await buys(page)

  const provider = (url: string) => url.startsWith(`${product.sandbox}/v3`) || url.startsWith(`${product.sandbox}/assets/`)
  expect(seen.filter((url) => !provider(url) && !url.startsWith(`${product.sandbox}/v1`))).toEqual([])
  expect(await toldByPages(page, product.sandbox, [uid, session])).toEqual([])
  expect(await toldByServer(page, product.sandbox, [uid, session])).toEqual([])
  const kept = await page.evaluate(() => [localStorage.getItem('adClicks'), sessionStorage.getItem('adClicks'), document.cookie])
  expect(kept).toEqual([null, null, ''])
})

test('aceita a pergunta, cadastro, início e fim da compra saem da página com o id que o servidor usa', async ({ page, product }) => {
  test.slow()
  await page.goto('/planos?utm_source=instagram&utm_campaign=verao&fbclid=IwAR2F4-dbP0')
  await banner(page).getByRole('button', { name: 'Aceitar' }).click()

  const [uid, session] = await buys(page)

  const events = [`cadastro:${uid}`, `checkout_iniciado:${session}`, `checkout_finalizado:${session}`]
  await expect.poll(async () => (await toldByPages(page, product.sandbox, [uid, session])).length).toBe(6)
  const told = await toldByPages(page, product.sandbox, [uid, session])
  for (const platform of ['meta', 'google'])
    expect(told.filter((event) => event.platform === platform).map((event) => event.event_id)).toEqual(events)
  const [pixel, ads] = ['meta', 'google'].map((platform) => told.find((event) => event.platform === platform && event.event_id.startsWith('checkout_finalizado')))
  expect(pixel).toMatchObject({ id: '1234567890123456', name: 'checkout_finalizado', data: { currency: 'BRL', subscription_plan: 'Elite Nível 1' } })
  expect(ads).toMatchObject({
    id: 'AW-100000000',
    name: 'conversion',
    data: { send_to: 'AW-100000000/sandbox_checkout_finalizado', utm_source: 'instagram', utm_campaign: 'verao', currency: 'BRL' },
  })
  expect(ads?.data.value).toBe(pixel?.data.value)
  // Nothing personal goes with them: the server alone tells that, hashed.
  expect(JSON.stringify(told)).not.toMatch(/@|Ana|Souza/)
  await expect
    .poll(async () => (await toldByServer(page, product.sandbox, [uid, session])).sort())
    .toEqual([...events, `pagamento_confirmado:${session}`, `PVNewSubs:${session}`].sort())
  const cookies = await page.evaluate(() => document.cookie)
  expect(cookies).toContain('_fbp=')

  // Taken back in another tab: what the scripts left in this one goes with the page.
  expect(await page.evaluate(() => 'fbq' in window)).toBe(true)
  const other = await page.context().newPage()
  await other.goto('/sobre')
  await other.getByRole('contentinfo').getByRole('link', { name: 'Preferências de privacidade' }).click()
  await other.getByRole('checkbox', { name: 'Medição de anúncios' }).uncheck()
  await other.getByRole('button', { name: 'Salvar escolha' }).click()
  await page.waitForFunction(() => !('fbq' in window))
  await expect(page.getByRole('heading', { level: 1, name: 'Pagamento confirmado!' })).toBeVisible()
})

const bottomOf = async (place: Locator) => {
  const box = await place.boundingBox()
  return (box?.y ?? 0) + (box?.height ?? 0)
}
const topOf = async (place: Locator) => (await place.boundingBox())?.y ?? 0

test('a pergunta cabe em toda largura, as duas respostas pesam igual, e ela não move a página nem deixa faixa vazia', async ({ page }) => {
  await page.addInitScript(() => {
    const shifts: number[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto('/')
  await expect(banner(page)).toBeVisible()
  expect(await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0))).toBeLessThan(0.02)
  for (const width of [320, 390, 1280]) {
    await fits(page, width)
    await isAccessible(page, width === 390 ? 'html' : 'section[aria-label="Sua privacidade"]')
    const answers = await Promise.all(['Recusar', 'Aceitar', 'Escolher'].map((name) => banner(page).getByRole('button', { name }).boundingBox()))
    for (const box of answers) {
      expect(box?.x, `at ${width} px`).toBeGreaterThanOrEqual(8)
      expect((box?.x ?? 0) + (box?.width ?? 0), `at ${width} px`).toBeLessThanOrEqual(width - 8)
    }
    const [refuse, accept] = answers
    expect(accept?.width).toBeCloseTo(refuse?.width ?? 0, 1)
    expect(accept?.height).toBe(refuse?.height)
    // The page ends where the question begins: nothing under it, and nothing between.
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
    expect(Math.abs((await bottomOf(page.getByRole('contentinfo'))) - (await topOf(banner(page)))), `at ${width} px`).toBeLessThanOrEqual(1)
  }
})

test('a pergunta não cobre o que a página quer: planos, formulários, cupom, /bio e avisos', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  for (const [path, width, height, name] of [
    ['/', 390, 667, /Testar grátis/],
    ['/', 1280, 800, /Testar grátis/],
    ['/planos', 1280, 800, /Testar grátis/],
    ['/planos', 1366, 768, /Testar grátis/],
    ['/cadastro', 390, 667, 'Criar conta'],
    ['/login', 390, 667, 'Entrar'],
    ['/bio', 390, 844, 'Central de Ajuda'],
    ['/planos-promo', 1366, 768, 'Copiar cupom'],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto(path)
    await expect(banner(page)).toBeVisible()
    const action = page.getByRole('main').getByRole(/\/(bio)?$/.test(path) ? 'link' : 'button', { name }).first()
    expect(await bottomOf(action), `${path} at ${width}x${height}`).toBeLessThanOrEqual(await topOf(banner(page)))
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Copiar cupom' }).click()
  const toast = page.getByRole('status').filter({ hasText: 'Cupom copiado!' })
  await expect(toast).toBeVisible()
  expect(await bottomOf(toast)).toBeLessThanOrEqual(await topOf(banner(page)))
})

test('pelo teclado a pergunta vem primeiro, a resposta é dita, e o foco volta de onde se abriram as preferências', async ({ page }) => {
  await page.goto('/sobre')
  await expect(banner(page)).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(banner(page).getByRole('link', { name: 'Saiba mais' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(banner(page).getByRole('button', { name: 'Recusar' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Preferências de privacidade' })
  const ads = dialog.getByRole('checkbox', { name: 'Medição de anúncios' })
  await expect(ads).not.toBeChecked()
  await isAccessible(page, 'dialog')
  await page.keyboard.press('Escape')
  await expect(banner(page).getByRole('button', { name: 'Escolher' })).toBeFocused()
  await banner(page).getByRole('button', { name: 'Aceitar' }).press('Enter')
  await expect(banner(page)).toHaveCount(0)
  const saved = page.getByRole('status').filter({ hasText: 'Escolha salva' })
  await expect(saved).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()

  await page.goto('/sobre')
  const preferences = page.getByRole('contentinfo').getByRole('link', { name: 'Preferências de privacidade' })
  await preferences.press('Enter')
  await expect(ads).toBeChecked()
  await dialog.getByRole('button', { name: 'Voltar' }).click()
  await expect(preferences).toBeFocused()
  await preferences.press('Enter')
  await ads.uncheck()
  await dialog.getByRole('button', { name: 'Salvar escolha' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(saved).toBeVisible()
  await expect(preferences).toBeFocused()
  const stored = await page.evaluate(() => JSON.parse(localStorage.getItem('adsConsent') ?? '{}'))
  expect(stored).toMatchObject({ allowed: false, version: '2026-11.2' })
})

test('a escolha de quem entrou chega à conta, e onde não há plataforma ninguém é perguntado', async ({ page }) => {
  await page.goto('/cadastro')
  await signUp(page, person())
  await page.waitForURL('**/account-confirmation')
  const told = page.waitForResponse('**/garimpo.users.v1.UserService/SaveConsent')
  await banner(page).getByRole('button', { name: 'Aceitar' }).click()
  expect((await told).status()).toBe(200)

  await page.route('**/config.json', async (route) => {
    const answer = await route.fetch()
    const config = { ...(await answer.json()), pixelIds: [], pixelScriptUrl: null, adsId: null, adsScriptUrl: null }
    await route.fulfill({ response: answer, json: config })
  })
  await page.evaluate(() => localStorage.removeItem('adsConsent'))
  const config = page.waitForResponse('**/config.json')
  await page.goto('/sobre')
  await config
  await page.getByRole('contentinfo').getByRole('link', { name: 'Preferências de privacidade' }).click()
  await expect(page).toHaveURL(/politicas-de-privacidade#preferencias$/)
  await expect(page.getByRole('heading', { name: 'Preferências de privacidade' })).toBeVisible()
  await expect(banner(page)).toHaveCount(0)
})
