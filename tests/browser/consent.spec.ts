import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page, Route } from '@playwright/test'
import { boxOf, expectAccessible, expectFits } from './accessibility'
import {
  consentBar,
  openAnnualOffer,
  readPixelEvents,
  readServerEvents,
  recordExternalRequests,
  signUpForTrial,
} from './ad-platforms'
import { hold } from './calls'
import { waitForCheckoutSession } from './payment-frame'
import { expect, newPerson, signIn, signUp, test } from './product'

test.use({ isConsentAnswered: false })

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const { routes }: { routes: { path: string }[] } = JSON.parse(
  readFileSync(join(root, 'web/dist/routes.json'), 'utf8'),
)

test('without an answer no route sends anything to third parties', async ({
  page,
  context,
  product,
  pageErrors,
}) => {
  const seen = recordExternalRequests(context, product.url)
  for (const { path } of [...routes, { path: '/nao-existe' }]) {
    await page.goto(`${path}?utm_source=instagram&fbclid=IwAR2F4-dbP0&gclid=Cj0KCQ`)
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  }
  expect(seen).toEqual([])
  pageErrors.expect(/status of 404 .*\/nao-existe/, /No route answers \/nao-existe/)
})

test('the consent bar fits each width with two equal answers, shifts nothing and leaves no gap', async ({
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
  await expect(consentBar(page)).toBeVisible()
  expect(
    await page.evaluate(() =>
      (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
    ),
  ).toBeLessThan(0.02)
  for (const width of [320, 390, 1280]) {
    await expectFits(page, width)
    await expectAccessible(page, width === 390 ? 'html' : 'section[aria-label="Sua privacidade"]')
    const answers = await Promise.all(
      ['Recusar', 'Aceitar'].map((name) => boxOf(consentBar(page).getByRole('button', { name }))),
    )
    for (const box of answers) {
      expect(box.x, `at ${width} px`).toBeGreaterThanOrEqual(8)
      expect(box.right, `at ${width} px`).toBeLessThanOrEqual(width - 8)
    }
    const [refuse, accept] = answers
    expect(accept?.width).toBeCloseTo(refuse?.width ?? Number.NaN, 1)
    expect(accept?.height).toBe(refuse?.height)
    // The page ends where the consent bar begins, without overlap or gap.
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
    const [footer, question] = await Promise.all([
      boxOf(page.getByRole('contentinfo')),
      boxOf(consentBar(page)),
    ])
    expect(Math.abs(footer.bottom - question.y), `at ${width} px`).toBeLessThanOrEqual(1)
  }
})

test('the consent bar covers no plan, form, link of /bio or toast', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  for (const [path, width, height, name] of [
    ['/', 390, 667, /Testar grátis/],
    ['/', 1280, 800, /Testar grátis/],
    ['/planos', 1280, 800, /Testar grátis/],
    ['/planos', 1366, 768, /Testar grátis/],
    ['/cadastro', 390, 667, 'Criar conta'],
    ['/login', 390, 667, 'Entrar'],
    ['/bio', 390, 844, 'Central de Ajuda'],
    ['/planos-promo', 1366, 768, 'Ver os planos'],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto(path)
    await expect(consentBar(page)).toBeVisible()
    const action = page
      .getByRole('main')
      .getByRole(/\/(bio|planos-promo)?$/.test(path) ? 'link' : 'button', { name })
      .first()
    expect((await boxOf(action)).bottom, `${path} at ${width}x${height}`).toBeLessThanOrEqual(
      (await boxOf(consentBar(page))).y,
    )
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Copiar cupom' }).click()
  const toast = page.getByRole('status').filter({ hasText: 'Cupom copiado!' })
  await expect(toast).toBeVisible()
  expect((await boxOf(toast)).bottom).toBeLessThanOrEqual((await boxOf(consentBar(page))).y)
})

test('the fixed trial button is hidden while the consent bar is open, and shown after the answer', async ({
  page,
}) => {
  await page.goto('/')
  await expect(consentBar(page)).toBeVisible()
  const bar = page.getByRole('main').getByRole('link', { name: 'Testar grátis por 7 dias' })
  await page.getByRole('heading', { name: 'No escuro' }).scrollIntoViewIfNeeded()
  await expect(bar).toHaveCount(1)
  expect((await boxOf(consentBar(page))).height).toBeLessThanOrEqual(76)
  await consentBar(page).getByRole('button', { name: 'Recusar' }).click()
  await page.getByRole('heading', { name: 'No escuro' }).scrollIntoViewIfNeeded()
  await expect(bar).toHaveCount(2)
  await expect(bar.last()).toBeInViewport({ ratio: 1 })
})

test('by keyboard the consent bar comes first, and the dialog returns the focus to its opener', async ({
  page,
}) => {
  await page.goto('/sobre')
  await expect(consentBar(page)).toBeVisible()
  // It is first in the tab order and not modal.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(consentBar(page).getByRole('button', { name: 'Recusar' })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(consentBar(page).getByRole('link', { name: 'Saiba mais' })).toBeFocused()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Preferências de privacidade' })
  const ads = dialog.getByRole('checkbox', { name: 'Medição de anúncios' })
  await expect(ads).not.toBeChecked()
  await expectAccessible(page, 'dialog')
  await page.keyboard.press('Escape')
  await expect(consentBar(page).getByRole('link', { name: 'Saiba mais' })).toBeFocused()
  await consentBar(page).getByRole('button', { name: 'Aceitar' }).press('Enter')
  await expect(consentBar(page)).toHaveCount(0)
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

  // /bio has no footer, but its own link to the preferences.
  await page.goto('/bio')
  await page.getByRole('main').getByRole('link', { name: 'Preferências de privacidade' }).click()
  await expect(ads).not.toBeChecked()
})

test('preferences opened before hydration lead to their section of the privacy policy', async ({ page }) => {
  // The consent bar appears after config.json has loaded.
  const release = await hold(page, '**/config.json')
  await page.goto('/bio')
  await page.getByRole('main').getByRole('link', { name: 'Preferências de privacidade' }).click()
  await expect(page).toHaveURL('/politicas-de-privacidade#preferencias')
  await release()
  const dialog = page.getByRole('dialog', { name: 'Preferências de privacidade' })
  await dialog.getByRole('button', { name: 'Voltar' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Preferências de privacidade' })).toBeInViewport()
})

/** Runs in the page: sets its clock back by 100 days. */
function setClockBack100Days() {
  const Real = Date
  const now = () => Real.now() - 100 * 86_400_000
  globalThis.Date = class extends Real {
    constructor(...given: [string]) {
      super(...(given.length > 0 ? given : ([now()] as unknown as [string])))
    }
    static now = now
  } as DateConstructor
}

test('the touch and the click have the time of the server, also if the clock of the visitor is late', async ({
  page,
}) => {
  await page.addInitScript(setClockBack100Days)
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

test('the answer of a signed-in user reaches the account, also after a failed call', async ({
  page,
  pageErrors,
}) => {
  await page.goto('/cadastro')
  await signUp(page, newPerson())
  await page.waitForURL('**/account-confirmation')

  const saving = '**/garimpo.users.v1.UserService/SaveConsent'
  const held: Route[] = []
  await page.route(saving, (route) => void held.push(route))
  await page.goto('/sobre')
  await consentBar(page).getByRole('button', { name: 'Aceitar' }).click()
  await expect.poll(() => held.length).toBe(1)
  await refuseInPreferences(page)
  await expect.poll(() => held.length).toBe(2)
  // The consent arrives and the refusal fails: the next page sends it again.
  await held[1]?.abort()
  const failed = page.waitForResponse(saving)
  await held[0]?.continue()
  await failed
  await page.unroute(saving)
  pageErrors.expect(/ERR_FAILED .*SaveConsent/)
  const saved = page.waitForResponse(saving)
  await page.goto('/area-usuario')
  expect((await saved).status()).toBe(200)
  await page.evaluate(() => localStorage.removeItem('adsConsent'))
  await page.reload()
  await expect.poll(() => readConsent(page)).toBe(false)
})

test('without an advertising platform nobody is asked', async ({ page }) => {
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
  // Wait for pending route handlers before the page closes.
  await page.unrouteAll({ behavior: 'wait' })
  await expect(consentBar(page)).toHaveCount(0)
})

/** Withdraws the consent through the footer of a page. */
async function withdrawConsent(page: Page) {
  // The link leads to the privacy policy until config.json has loaded.
  const config = page.waitForResponse('**/config.json')
  await page.goto('/sobre')
  await config
  await expect(page.locator('#root[data-static]')).toHaveCount(0)
  await refuseInPreferences(page)
}

async function refuseInPreferences(page: Page) {
  await page.getByRole('contentinfo').getByRole('link', { name: 'Preferências de privacidade' }).click()
  const dialog = page.getByRole('dialog', { name: 'Preferências de privacidade' })
  await dialog.getByRole('checkbox', { name: 'Medição de anúncios' }).uncheck()
  await dialog.getByRole('button', { name: 'Salvar escolha' }).click()
  await expect(dialog).toHaveCount(0)
}

/** The stored answer. Undefined during a navigation. */
const readConsent = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('adsConsent') ?? '{}').allowed).catch(() => undefined)
const hasPixel = (page: Page) => page.evaluate(() => 'fbq' in window)

/** Accepts ads, signs up and waits until the pixel has loaded. Returns the uid. */
async function acceptAndSignUp(page: Page, who: ReturnType<typeof newPerson>): Promise<string> {
  await page.goto('/planos')
  await consentBar(page).getByRole('button', { name: 'Aceitar' }).click()
  const uid = await signUpForTrial(page, who)
  await expect.poll(() => hasPixel(page)).toBe(true)
  return uid
}

test('a consent withdrawn in another tab unloads the platforms here, and the purchase counts nothing', async ({
  page,
  context,
  product,
}) => {
  await acceptAndSignUp(page, newPerson())
  await withdrawConsent(await context.newPage())

  await expect.poll(() => hasPixel(page).catch(() => true)).toBe(false)
  await expect(page).toHaveURL(/\/upsell$/)
  const session = await waitForCheckoutSession(await openAnnualOffer(page))
  expect(await hasPixel(page)).toBe(false)
  expect(await readPixelEvents(product, [session])).toEqual([])
  expect(await readServerEvents(product, [session])).toEqual([])
})

test('a consent withdrawn in another browser applies here from the next event on', async ({
  page,
  browser,
  product,
}) => {
  const ana = newPerson()
  await acceptAndSignUp(page, ana)
  const elsewhere = await (await browser.newContext({ baseURL: product.url })).newPage()
  await elsewhere.goto('/login')
  await signIn(elsewhere, ana)
  // The answer of the account applies here, so the bar does not appear.
  await expect.poll(() => readConsent(elsewhere)).toBe(true)
  const saved = elsewhere.waitForResponse('**/garimpo.users.v1.UserService/SaveConsent')
  await withdrawConsent(elsewhere)
  expect((await saved).status()).toBe(200)

  const session = await waitForCheckoutSession(await openAnnualOffer(page))
  await expect.poll(() => readConsent(page)).toBe(false)
  expect(await readPixelEvents(product, [session])).toEqual([])
  expect(await readServerEvents(product, [session])).toEqual([])
})
