import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page, Route } from '@playwright/test'
import { boxOf, fits, isAccessible } from './acessibilidade'
import { hold } from './chamadas'
import { openedSession } from './payment-frame'
import { abroad, anOffer, banner, becomesAccount, toldByPages, toldByServer } from './plataformas'
import { expect, person, signIn, signUp, test } from './product'

test.use({ answered: false })

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const { routes }: { routes: { path: string }[] } = JSON.parse(
  readFileSync(join(root, 'web/dist/routes.json'), 'utf8'),
)

test('sem resposta nada sai para terceiros, em rota nenhuma', async ({
  page,
  context,
  product,
  complaints,
}) => {
  const seen = abroad(context, product.url)
  for (const { path } of [...routes, { path: '/nao-existe' }]) {
    await page.goto(`${path}?utm_source=instagram&fbclid=IwAR2F4-dbP0&gclid=Cj0KCQ`)
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  }
  expect(seen).toEqual([])
  complaints.expect(/status of 404 .*\/nao-existe/, /No route answers \/nao-existe/)
})

test('a pergunta cabe em toda largura, as duas respostas pesam igual, e ela não move a página nem deixa faixa vazia', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const shifts: number[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto('/')
  await expect(banner(page)).toBeVisible()
  expect(
    await page.evaluate(() =>
      (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
    ),
  ).toBeLessThan(0.02)
  for (const width of [320, 390, 1280]) {
    await fits(page, width)
    await isAccessible(page, width === 390 ? 'html' : 'section[aria-label="Sua privacidade"]')
    const answers = await Promise.all(
      ['Recusar', 'Aceitar'].map((name) => boxOf(banner(page).getByRole('button', { name }))),
    )
    for (const box of answers) {
      expect(box.x, `at ${width} px`).toBeGreaterThanOrEqual(8)
      expect(box.right, `at ${width} px`).toBeLessThanOrEqual(width - 8)
    }
    const [refuse, accept] = answers
    expect(accept?.width).toBeCloseTo(refuse?.width ?? Number.NaN, 1)
    expect(accept?.height).toBe(refuse?.height)
    // The page ends where the question begins: nothing under it, and nothing between.
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
    const [footer, question] = await Promise.all([boxOf(page.getByRole('contentinfo')), boxOf(banner(page))])
    expect(Math.abs(footer.bottom - question.y), `at ${width} px`).toBeLessThanOrEqual(1)
  }
})

test('a pergunta não cobre o que a página quer: planos, formulários, cupom, /bio e avisos', async ({
  page,
  context,
}) => {
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
    const action = page
      .getByRole('main')
      .getByRole(/\/(bio)?$/.test(path) ? 'link' : 'button', { name })
      .first()
    expect((await boxOf(action)).bottom, `${path} at ${width}x${height}`).toBeLessThanOrEqual(
      (await boxOf(banner(page))).y,
    )
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Copiar cupom' }).click()
  const toast = page.getByRole('status').filter({ hasText: 'Cupom copiado!' })
  await expect(toast).toBeVisible()
  expect((await boxOf(toast)).bottom).toBeLessThanOrEqual((await boxOf(banner(page))).y)
})

test('enquanto a pergunta está aberta o botão fixo do teste grátis não aparece; respondida, aparece', async ({
  page,
}) => {
  await page.goto('/')
  await expect(banner(page)).toBeVisible()
  const bar = page.getByRole('main').getByRole('link', { name: 'Testar grátis por 7 dias' })
  await page.getByRole('heading', { name: 'No escuro' }).scrollIntoViewIfNeeded()
  await expect(bar).toHaveCount(2)
  expect((await boxOf(banner(page))).height).toBeLessThanOrEqual(76)
  await banner(page).getByRole('button', { name: 'Recusar' }).click()
  await page.getByRole('heading', { name: 'No escuro' }).scrollIntoViewIfNeeded()
  await expect(bar.last()).toBeInViewport({ ratio: 1 })
})

test('pelo teclado a pergunta vem primeiro, e o foco volta de onde se abriram as preferências', async ({
  page,
}) => {
  await page.goto('/sobre')
  await expect(banner(page)).toBeVisible()
  // It comes first, and holds nobody up: the page goes on behind it.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(banner(page).getByRole('button', { name: 'Recusar' })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(banner(page).getByRole('link', { name: 'Saiba mais' })).toBeFocused()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Preferências de privacidade' })
  const ads = dialog.getByRole('checkbox', { name: 'Medição de anúncios' })
  await expect(ads).not.toBeChecked()
  await isAccessible(page, 'dialog')
  await page.keyboard.press('Escape')
  await expect(banner(page).getByRole('link', { name: 'Saiba mais' })).toBeFocused()
  await banner(page).getByRole('button', { name: 'Aceitar' }).press('Enter')
  await expect(banner(page)).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()

  const preferences = page.getByRole('contentinfo').getByRole('link', { name: 'Preferências de privacidade' })
  await preferences.press('Enter')
  await expect(ads).toBeChecked()
  await dialog.getByRole('button', { name: 'Voltar' }).click()
  await expect(preferences).toBeFocused()
  await preferences.press('Enter')
  await ads.uncheck()
  await dialog.getByRole('button', { name: 'Salvar escolha' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(preferences).toBeFocused()
  const stored = await page.evaluate(() => JSON.parse(localStorage.getItem('adsConsent') ?? '{}'))
  expect(stored).toMatchObject({ allowed: false, version: '2026-11.3' })

  // /bio has no footer, and its own way to the choice.
  await page.goto('/bio')
  await page.getByRole('main').getByRole('link', { name: 'Preferências de privacidade' }).click()
  await expect(ads).not.toBeChecked()
})

test('quem abre as preferências antes de a página acordar encontra a escolha na página que a explica', async ({
  page,
}) => {
  // The question is asked once the settings have come.
  const letCome = await hold(page, '**/config.json')
  await page.goto('/bio')
  await page.getByRole('main').getByRole('link', { name: 'Preferências de privacidade' }).click()
  await expect(page).toHaveURL('/politicas-de-privacidade#preferencias')
  await letCome()
  const dialog = page.getByRole('dialog', { name: 'Preferências de privacidade' })
  await dialog.getByRole('button', { name: 'Voltar' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Preferências de privacidade' })).toBeInViewport()
})

/** Puts the visitor's own clock a hundred days behind. */
function hundredDaysBehind() {
  const Real = Date
  const now = () => Real.now() - 100 * 86_400_000
  globalThis.Date = class extends Real {
    constructor(...given: [string]) {
      super(...(given.length > 0 ? given : ([now()] as unknown as [string])))
    }
    static now = now
  } as DateConstructor
}

test('a chegada e o clique têm a hora do produto, também com o relógio de quem visita atrasado', async ({
  page,
}) => {
  await page.addInitScript(hundredDaysBehind)
  await page.goto('/cadastro?utm_source=instagram&fbclid=IwAR2F4-dbP0')
  const { serverTime } = await (await page.request.get('/config.json')).json()
  const stored = (key: string) =>
    page.evaluate((key) => localStorage.getItem(key) ?? sessionStorage.getItem(key) ?? '{}', key)
  const sinceServerTime = (instant: number) => Math.abs(instant - new Date(serverTime).getTime())
  await expect
    .poll(async () => sinceServerTime(new Date(JSON.parse(await stored('firstTouch')).at).getTime()))
    .toBeLessThan(600_000)
  await expect
    .poll(async () => sinceServerTime(Number((await stored('adClicks')).match(/fb\.1\.(\d{13})/)?.[1])))
    .toBeLessThan(600_000)
})

test('a escolha de quem entrou chega à conta, também a que se perdeu no caminho', async ({
  page,
  complaints,
}) => {
  await page.goto('/cadastro')
  await signUp(page, person())
  await page.waitForURL('**/account-confirmation')

  const saving = '**/garimpo.users.v1.UserService/SaveConsent'
  const held: Route[] = []
  await page.route(saving, (route) => void held.push(route))
  await page.goto('/sobre')
  await banner(page).getByRole('button', { name: 'Aceitar' }).click()
  await expect.poll(() => held.length).toBe(1)
  await refusesHere(page)
  await expect.poll(() => held.length).toBe(2)
  // The permission arrives, the refusal does not: it is told again with the next page.
  await held[1]?.abort()
  const heard = page.waitForResponse(saving)
  await held[0]?.continue()
  await heard
  await page.unroute(saving)
  complaints.expect(/ERR_FAILED .*SaveConsent/)
  const told = page.waitForResponse(saving)
  await page.goto('/area-usuario')
  expect((await told).status()).toBe(200)
  await page.evaluate(() => localStorage.removeItem('adsConsent'))
  await page.reload()
  await expect.poll(() => allowedIn(page)).toBe(false)
})

test('onde não há plataforma ninguém é perguntado', async ({ page }) => {
  await page.route('**/config.json', async (route) => {
    const answer = await route.fetch()
    const config = {
      ...(await answer.json()),
      pixelIds: [],
      pixelScriptUrl: null,
      adsId: null,
      adsScriptUrl: null,
    }
    await route.fulfill({ response: answer, json: config })
  })
  const config = page.waitForResponse('**/config.json')
  await page.goto('/sobre')
  await config
  const configAgain = page.waitForResponse('**/config.json')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Preferências de privacidade' }).click()
  await expect(page).toHaveURL(/politicas-de-privacidade#preferencias$/)
  await configAgain
  await expect(page.getByRole('heading', { name: 'Preferências de privacidade' })).toBeVisible()
  // What is still being answered ends before the page does.
  await page.unrouteAll({ behavior: 'wait' })
  await expect(banner(page)).toHaveCount(0)
})

/** Takes the permission back, from the foot of a page. */
async function takesBack(page: Page) {
  // The link leads to the privacy page until the page knows that there is a choice to make.
  const config = page.waitForResponse('**/config.json')
  await page.goto('/sobre')
  await config
  await expect(page.locator('#root[data-static]')).toHaveCount(0)
  await refusesHere(page)
}

async function refusesHere(page: Page) {
  await page.getByRole('contentinfo').getByRole('link', { name: 'Preferências de privacidade' }).click()
  const dialog = page.getByRole('dialog', { name: 'Preferências de privacidade' })
  await dialog.getByRole('checkbox', { name: 'Medição de anúncios' }).uncheck()
  await dialog.getByRole('button', { name: 'Salvar escolha' }).click()
  await expect(dialog).toHaveCount(0)
}

/** What the browser keeps; nothing while the page is on its way to another. */
const allowedIn = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('adsConsent') ?? '{}').allowed).catch(() => undefined)
const hasPixel = (page: Page) => page.evaluate(() => 'fbq' in window)

/** Somebody who accepted, has just made an account, and whose page has loaded the pixel to tell of it. */
async function acceptsAndJoins(page: Page, who: ReturnType<typeof person>): Promise<string> {
  await page.goto('/planos')
  await banner(page).getByRole('button', { name: 'Aceitar' }).click()
  const uid = await becomesAccount(page, who)
  await expect.poll(() => hasPixel(page)).toBe(true)
  return uid
}

test('a permissão retirada em outra aba tira desta o que as plataformas tinham carregado, e a compra não conta nada', async ({
  page,
  context,
  product,
}) => {
  await acceptsAndJoins(page, person())
  await takesBack(await context.newPage())

  await expect.poll(() => hasPixel(page).catch(() => true)).toBe(false)
  await expect(page).toHaveURL(/\/upsell$/)
  const session = await openedSession(await anOffer(page))
  expect(await hasPixel(page)).toBe(false)
  expect(await toldByPages(product, [session])).toEqual([])
  expect(await toldByServer(product, [session])).toEqual([])
})

test('a permissão retirada em outro navegador vale neste a partir do próximo aviso', async ({
  page,
  browser,
  product,
}) => {
  const ana = person()
  await acceptsAndJoins(page, ana)
  const elsewhere = await (await browser.newContext({ baseURL: product.url })).newPage()
  await elsewhere.goto('/login')
  await signIn(elsewhere, ana)
  // The account's own answer came along: nobody is asked again.
  await expect.poll(() => allowedIn(elsewhere)).toBe(true)
  const saved = elsewhere.waitForResponse('**/garimpo.users.v1.UserService/SaveConsent')
  await takesBack(elsewhere)
  expect((await saved).status()).toBe(200)

  const session = await openedSession(await anOffer(page))
  await expect.poll(() => allowedIn(page)).toBe(false)
  expect(await toldByPages(product, [session])).toEqual([])
  expect(await toldByServer(product, [session])).toEqual([])
})
