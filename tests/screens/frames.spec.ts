/**
 * The frames of the way to the payment: what stands there before the scripts, and what stays of
 * it.
 */
import type { BrowserContext, Page } from '@playwright/test'
import { AuthService } from '../../web/src/gen/garimpo/auth/v1/auth_service_pb'
import { expectAccessible, expectFits } from '../browser/accessibility'
import { hold } from '../browser/calls'
import { newPerson } from '../browser/product'
import { expect, test } from './screen-test'

/** A plan's card stores it. */
const ELITE = {
  name: 'Elite Nível 1',
  price: 'R$ 197,90',
  period: '/mês',
  priceRaw: '197.90',
  interval: 'month',
}

/** A new page begins with an empty document, which has no storage. */
const keep = (context: BrowserContext, key: string, value: string) =>
  context.addInitScript(
    ([key, value]) => location.protocol === 'about:' || localStorage.setItem(key, value),
    [key, value] as const,
  )
const keepPlan = (context: BrowserContext) => keep(context, 'selectedPlan', JSON.stringify(ELITE))

/** Not the page of the fixture, whose `goto` waits for the scripts. */
async function pageWithoutScripts(context: BrowserContext): Promise<[Page, () => Promise<void>]> {
  const page = await context.newPage()
  return [page, await hold(page, '**/assets/app-*.js')]
}

const hydrated = (page: Page) => expect(page.locator('#root[data-static]')).toHaveCount(0)

/** Sums up what moved, as the browser counts it. */
async function watchShifts(page: Page) {
  await page.addInitScript(() => {
    const moved: string[] = []
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as unknown as Shift[])
        moved.push(`${value} ${sources.map(({ node }) => node?.parentElement?.outerHTML.slice(0, 80))}`)
    }).observe({ type: 'layout-shift', buffered: true })
    Object.assign(window, { moved })
  })
}
type Shift = { value: number; sources: { node: Node | null }[] }
const shiftsOf = (page: Page) => page.evaluate(() => (window as unknown as { moved: string[] }).moved)

test('sign-up, sign-in and offers show heading and fields before their scripts arrive', async ({
  context,
}) => {
  const [page, arrive] = await pageWithoutScripts(context)
  for (const [path, title, fields] of [
    ['/cadastro', 'Crie sua conta', ['Nome completo', 'Email', 'WhatsApp (opcional)', 'Senha']],
    ['/login', 'Entre na sua conta', ['Email', 'Senha']],
  ] as const) {
    await page.goto(path, { waitUntil: 'commit' })
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    for (const field of fields) await expect(page.getByLabel(field, { exact: true })).toBeEditable()
    await expectAccessible(page)
    await expectFits(page, 320)
  }
  await keepPlan(context)
  await page.goto('/upsell', { waitUntil: 'commit' })
  await expect(page.getByRole('heading', { level: 1, name: 'Aproveite as Ofertas Exclusivas' })).toBeVisible()
  await expect(page.getByRole('main').getByText('Calculando suas ofertas...')).toBeVisible()
  await expectAccessible(page)
  await arrive()
  await hydrated(page)
})

test('what is typed before the scripts arrive stays, with the focus', async ({ context }) => {
  const [page, arrive] = await pageWithoutScripts(context)
  await page.goto('/cadastro', { waitUntil: 'commit' })
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const values = [
    ['Nome completo', 'Ana Souza', 'Ana Souza'],
    ['Email', 'ana@gmial.com', 'ana@gmial.com'],
    ['WhatsApp (opcional)', '11987654321', '(11) 98765-4321'],
    ['Senha', 'abc', 'abc'],
  ] as const
  for (const [label, typed] of values) await field(label).pressSequentially(typed)

  await arrive()
  await hydrated(page)

  for (const [label, , shown] of values) await expect(field(label)).toHaveValue(shown)
  await expect(field('Senha')).toBeFocused()
  // The page has heard it, and does not set it back.
  await expect(field('Senha')).toHaveAccessibleDescription('A senha deve ter pelo menos 6 caracteres.')
  await expect(page.getByRole('button', { name: 'Você quis dizer ana@gmail.com?' })).toBeVisible()
  await field('Senha').pressSequentially('def')
  for (const [label, , shown] of values.slice(0, 3)) await expect(field(label)).toHaveValue(shown)
  await page.getByRole('link', { name: 'Faça login' }).click()
  await expect(field('Email')).toHaveValue('ana@gmial.com')
})

for (const [path, label, key] of [
  ['/login', 'Email', 'typedEmail'],
  ['/cadastro', 'Email', 'typedEmail'],
  ['/cadastro', 'Nome completo', 'typedName'],
] as const)
  test(`the field ${label} of ${path} is not filled in if it has the focus when the scripts arrive`, async ({
    context,
  }) => {
    const [page, arrive] = await pageWithoutScripts(context)
    const field = page.getByLabel(label, { exact: true })
    await page.goto(path, { waitUntil: 'commit' })
    await page.evaluate((key) => sessionStorage.setItem(key, 'ana@exemplo.com.br'), key)
    await field.focus()

    await arrive()
    await hydrated(page)

    await page.keyboard.type('bia@exemplo.com.br')
    await expect(field).toHaveValue('bia@exemplo.com.br')
  })

for (const way of ['Enter', 'press'] as const)
  test(`a sign-up that is sent by ${way} before the scripts arrive is sent by them, once`, async ({
    context,
    backend,
  }) => {
    const ana = newPerson()
    const [page, arrive] = await pageWithoutScripts(context)
    const loaded: string[] = []
    page.on('request', (request) => request.isNavigationRequest() && loaded.push(request.url()))
    let calls = 0
    page.on('request', (request) => {
      if (request.url().endsWith(`/${AuthService.typeName}/SignUp`)) calls += 1
    })
    await page.goto('/cadastro', { waitUntil: 'commit' })
    const send = page.getByRole('button', { name: 'Criar conta' })
    await expect(send).toBeEnabled()
    await page.getByLabel('Nome completo').fill(ana.name)
    await page.getByLabel('Email', { exact: true }).fill(ana.email)
    await page.getByLabel('Senha', { exact: true }).fill(ana.password)
    if (way === 'Enter') await page.getByLabel('Senha', { exact: true }).press('Enter')
    else await send.click()
    await expect(page.getByLabel('Nome completo')).toHaveValue(ana.name)

    await arrive()
    await page.waitForURL('**/account-confirmation')
    expect(calls).toBe(1)
    expect(loaded).toEqual([`${backend.url}/cadastro`])
  })

test('a form that no script of its page has reached cannot be sent', async ({ browser, backend }) => {
  const context = await browser.newContext({ baseURL: backend.url, javaScriptEnabled: false })
  const page = await context.newPage()
  for (const path of ['/cadastro', '/login']) {
    await page.goto(path)
    const form = page.locator('#root form')
    await expect(form).toHaveAttribute('method', 'post')
    await expect(form.locator('[type=submit]')).toBeDisabled()
  }
  await context.close()
})

test('a frame that is not for its visitor is not shown', async ({ context }) => {
  await keep(context, 'uid', 'u1')
  const [page, arrive] = await pageWithoutScripts(context)
  for (const [path, title] of [
    ['/cadastro', 'Crie sua conta'],
    ['/login', 'Entre na sua conta'],
    ['/upsell', 'Aproveite as Ofertas Exclusivas'],
  ] as const) {
    await page.goto(path, { waitUntil: 'commit' })
    await expect(page.getByText('Carregando...'), path).toBeVisible()
    await expect(page.getByRole('heading', { name: title }), path).toBeHidden()
  }
  await arrive()
  await page.waitForURL('**/planos')
})

for (const width of [390, 1280])
  test(`nothing moves when the rest of a frame arrives, at ${width} px`, async ({ context }) => {
    for (const [path, own] of [
      ['/cadastro', 'Já tem conta?'],
      ['/login', 'Não tem conta?'],
      ['/cadastro', 'Plano escolhido'],
      ['/login', 'Elite Nível 1'],
      ['/upsell', 'Continuar com o plano mensal'],
    ] as const) {
      if (own === 'Plano escolhido') await keepPlan(context)
      const [page, arrive] = await pageWithoutScripts(context)
      await page.setViewportSize({ width, height: 844 })
      await watchShifts(page)
      await page.goto(path, { waitUntil: 'commit' })
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await arrive()
      await hydrated(page)
      await expect(page.getByRole('main').getByText(own).first()).toBeVisible()
      expect(await shiftsOf(page), `${path} with ${own}`).toEqual([])
      await page.close()
    }
  })
