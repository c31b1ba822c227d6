/** What comes late, twice or not at all: an older answer never undoes what happened since. */
import type { Page } from '@playwright/test'
import { delay, hold } from './chamadas'
import { payByCard } from './payment-frame'
import {
  arriveAtUpsell,
  changesPlan,
  choosePlan,
  expect,
  joins,
  person,
  signIn,
  subscribes,
  takeOffer,
  test,
} from './product'

const path = (page: Page) => new URL(page.url()).pathname
/** Waits until the page has done what the last answer made it do. */
const isIdle = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestIdleCallback(() => requestIdleCallback(done))))

test('quem perdeu a sessão e está no login vai aos outros links de lá', async ({ page }) => {
  await joins(page)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Editar perfil' }).click()
  await page.context().clearCookies()
  await page.getByRole('dialog').getByRole('button', { name: 'Salvar' }).click()
  await page.waitForURL('**/login')

  await page.getByRole('link', { name: 'Esqueci minha senha' }).click()
  await expect(page.getByRole('heading', { name: 'Recuperação de Senha' })).toBeVisible()
  expect(path(page)).toBe('/esqueci-senha')
})

test('resposta antiga sobre a sessão não desfaz a entrada que veio depois', async ({ page }) => {
  const who = await joins(page)
  await page.context().clearCookies()
  await page.evaluate(() => localStorage.clear())
  const { letCome } = await delay(page, '**/GetSession')
  await page.goto('/login')
  await signIn(page, who)
  await page.waitForURL('**/area-usuario')
  await letCome()
  await isIdle(page)

  await expect(page.getByRole('button', { name: 'Editar perfil' })).toBeVisible()
  expect(path(page)).toBe('/area-usuario')
  expect(await page.evaluate(() => localStorage.getItem('uid'))).toMatch(/^usr_/)
})

test('parte que ninguém pediu ainda e se perdeu não recarrega a página', async ({ page, complaints }) => {
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  await page.route('**/assets/toast*.js', (route) => route.abort())
  const lost = page.waitForRequest('**/assets/toast*.js')
  await page.goto('/cadastro')
  await page.getByLabel('Nome completo').fill('Ana Maria')
  await lost

  await expect(page.getByLabel('Nome completo')).toHaveValue('Ana Maria')
  await page.getByLabel('Email').fill('ana@exemplo.com.br')
  await expect(page.getByLabel('Nome completo')).toHaveValue('Ana Maria')
  expect(loads).toBe(1)
  complaints.expect(/ERR_FAILED .*toast/)
})

test('diálogo da conta que se perdeu no caminho fecha e diz por quê, e na vez seguinte abre', async ({
  page,
  complaints,
}) => {
  await joins(page)
  await page.route('**/assets/account-dialogs*.js', (route) => route.abort())
  await page.goto('/area-usuario')
  const edit = page.getByRole('button', { name: 'Editar perfil' })
  await edit.click()
  await expect(page.getByRole('alert')).toContainText('Sem conexão')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(edit).toBeFocused()

  await page.unroute('**/assets/account-dialogs*.js')
  await edit.click()
  await expect(page.getByRole('dialog', { name: 'Editar perfil' })).toBeVisible()
  complaints.expect(/ERR_FAILED .*account-dialogs/)
})

test('diálogo da conta a caminho diz que carrega, e fecha com Escape', async ({ page }) => {
  await joins(page)
  const letCome = await hold(page, '**/assets/account-dialogs*.js')
  await page.goto('/area-usuario')
  const edit = page.getByRole('button', { name: 'Editar perfil' })
  await edit.click()
  await expect(page.getByRole('dialog', { name: 'Carregando...' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(edit).toBeFocused()
  await edit.click()
  await letCome()

  await expect(page.getByRole('dialog', { name: 'Editar perfil' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(edit).toBeFocused()
})

test('quem saiu da página enquanto o servidor respondia não é levado de volta à escolha', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 })
  const { letCome } = await delay(page, '**/GetSession')
  await choosePlan(page, 'Top Afiliado')
  await page.getByRole('banner').getByRole('link', { name: 'Soluções' }).click()
  await expect(page.getByRole('banner').getByRole('link', { name: 'Soluções' })).toHaveAttribute(
    'aria-current',
    'page',
  )
  await letCome()
  await isIdle(page)

  expect(path(page)).toBe('/solucoes')
  expect(await page.evaluate(() => localStorage.getItem('loginRedirectUrl'))).toBeNull()
})

test('clique num link mostra na hora para onde se vai, antes de a página chegar', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('/sobre')
  const letCome = await hold(page, '**/assets/{plans,planos}*.js')
  const link = page.getByRole('banner').getByRole('link', { name: 'Planos' })
  await link.click()

  await expect(link).toHaveAttribute('aria-current', 'page')
  await expect(page.getByRole('main').getByText('Carregando')).toBeVisible()
  await expect(page).toHaveTitle(/Planos/)
  await letCome()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('link pressionado se mostra assim antes que a página antiga saia, e depois não mais', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('/sobre')
  await isIdle(page)
  const link = page.getByRole('banner').getByRole('link', { name: 'Planos' })
  const pressed = await link.evaluate((element: HTMLAnchorElement) => {
    element.click()
    return { opacity: getComputedStyle(element).opacity, path: location.pathname }
  })

  expect(pressed).toEqual({ opacity: '0.6', path: '/sobre' })
  await page.waitForURL('**/planos')
  await expect(link).toHaveCSS('opacity', '1')
})

test('página de um link vem assim que o ponteiro está nele', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('/sobre')
  await isIdle(page)
  const coming = page.waitForRequest(/assets\/plans[^/]*\.js/)
  await page.getByRole('banner').getByRole('link', { name: 'Planos' }).hover()
  await coming
  expect(path(page)).toBe('/sobre')
})

test('leitura que falha enquanto a página volta a ser vista oferece outra tentativa', async ({
  page,
  complaints,
}) => {
  await joins(page)
  const lose: (() => void)[] = []
  for (const call of ['GetUser', 'GetSubscription'])
    await page.route(`**/${call}`, async (route) => {
      await new Promise<void>((done) => lose.push(done))
      await route.abort()
    })
  await page.goto('/area-usuario')
  await expect.poll(() => lose.length).toBe(2)
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  for (const fail of lose) fail()

  await expect(page.getByRole('button', { name: 'Tentar novamente' }).first()).toBeVisible()
  complaints.expect(/ERR_FAILED .*GetUser/, /ERR_FAILED .*GetSubscription/)
})

test('assinatura pedida por uma pessoa não aparece na conta de quem entrou depois', async ({
  page,
  context,
  product,
}) => {
  await subscribes(page, product, 'Elite Nível 2')
  const { answered, letCome } = await delay(page, '**/GetSubscription')
  await page.goto('/area-usuario')
  // With the cookie of the first person.
  await answered
  const other = await context.newPage()
  await other.context().clearCookies()
  const bia = await joins(other, { ...person(), name: 'Bia Lima' })
  await expect(page.getByText(bia.email)).toBeVisible()
  await letCome()
  await isIdle(page)

  await expect(page.getByText('Elite Nível 2')).toHaveCount(0)
  await expect(page.getByText(bia.email)).toBeVisible()
})

test('faturas seguintes que chegam depois de uma nova leitura não tiram a mais nova da lista', async ({
  page,
  product,
}) => {
  await subscribes(page, product, 'Elite PRO 1')
  for (const plan of ['elite_pro_2', 'elite_pro_1', 'elite_pro_2', 'elite_pro_1', 'elite_pro_2'])
    await changesPlan(page, plan)
  await page.goto('/area-usuario')
  const invoices = page.getByRole('region', { name: 'Faturas', exact: true })
  const rows = invoices.getByRole('listitem')
  await expect(rows).toHaveCount(5)
  const { answered, letCome } = await delay(page, '**/ListInvoices')
  await invoices.getByRole('button', { name: 'Carregar mais' }).click()
  await answered
  await changesPlan(page, 'elite_nivel_2')
  // What a dialog leaves is read again.
  await page.getByRole('button', { name: 'Cancelar assinatura' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Voltar' }).click()
  const newest = rows.filter({ hasText: 'Elite Nível 2' })
  await expect(newest).toHaveCount(1)
  await letCome()
  await isIdle(page)

  await expect(newest).toHaveCount(1)
  await invoices.getByRole('button', { name: 'Carregar mais' }).click()
  await expect(rows).toHaveCount(7)
})

test('fim da compra leva uma vez à página do resultado, também enquanto ela não chega', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const letCome = await hold(page, '**/assets/payment-success*.js')
  const tab = await takeOffer(page, 'Semestral')
  await payByCard(tab, '4242424242424242')
  await page.waitForURL('**/payment-success?*')
  const entries = await page.evaluate(() => history.length)
  await page.evaluate(() => {
    location.hash = 'outra'
  })
  await isIdle(page)
  await letCome()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('confirmado')
  expect(await page.evaluate(() => history.length)).toBe(entries + 1)
  expect(new URL(page.url()).hash).toBe('#outra')
})
