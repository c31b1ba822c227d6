/** What a visitor sees when scripts are slow, lost on the way, or off: never a blank page. */
import type { Page } from '@playwright/test'
import { fits, isAccessible } from './acessibilidade'
import { hold } from './chamadas'
import { expect, test } from './product'

const shells = ['/login', '/cadastro', '/esqueci-senha', '/area-usuario', '/upsell']

/** What comes after seconds comes at once. */
async function hurry(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Animation.enable')
  await devtools.send('Animation.setPlaybackRate', { playbackRate: 20 })
}

test('telas da conta cujos scripts não chegam dizem o que houve, com saída', async ({ page, complaints }) => {
  await hurry(page)
  await page.route('**/assets/*.js', (route) => route.abort())
  for (const path of shells) {
    await page.goto(`${path}?promo=final`)
    await expect(
      page.getByRole('heading', { level: 1, name: 'Esta página está demorando para abrir' }),
      path,
    ).toBeVisible()
    await expect(page.getByRole('link', { name: 'Ir para o início' })).toHaveAttribute('href', '/')
  }
  await isAccessible(page)
  await fits(page, 320)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()

  await page.unroute('**/assets/*.js')
  await page.getByRole('link', { name: 'Recarregar a página' }).click()
  await page.waitForURL((url) => url.search === '?promo=final' || url.pathname === '/planos')
  await expect(page.getByText('Esta página está demorando para abrir')).toBeHidden()
  complaints.expect(/ERR_FAILED .*\/assets\/.*\.js/)
})

test('scripts que só demoram não deixam aviso quando a tela chega', async ({ page }) => {
  const arrive = await hold(page, '**/assets/login-*.js')
  const opened = page.goto('/login')
  await expect(page.getByText('Carregando...')).toBeVisible()
  await arrive()
  await opened
  await expect(page.getByLabel('Email')).toBeVisible()
  await expect(page.getByText('Carregando...')).toBeHidden()
  // Nothing of it is left for a reader to find.
  await expect(page.locator('[class^=late]')).toHaveCount(0)
  await expect(page).toHaveTitle('Entrar | Garimpo')
})

test('sem JavaScript as telas da conta dizem que precisam dele', async ({ browser, product }) => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    baseURL: product.url,
    viewport: { width: 390, height: 844 },
  })
  const page = await context.newPage()
  for (const path of shells) {
    await page.goto(path)
    await expect(
      page.getByRole('heading', { level: 1, name: 'Esta página precisa de JavaScript' }),
      path,
    ).toBeVisible()
    await expect(page.getByText('Esta página está demorando para abrir')).toBeHidden()
  }
  await page.goto('/planos')
  await expect(page.locator('.needs-script')).toBeVisible()
  await expect(page.locator('.late')).toHaveCSS('display', 'none')
  // The button of a card, which would do nothing, is a link.
  const card = page.getByRole('region', { name: 'Top Afiliado', exact: true })
  await expect(card.getByRole('link', { name: 'Criar conta' })).toHaveAttribute('href', '/cadastro')
  await expect(card.getByRole('button', { name: 'Testar grátis por 7 dias' })).toBeHidden()

  // The menu, open for good, goes away with the top of the page.
  await expect(page.getByRole('navigation', { name: 'Principal' })).toBeVisible()
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  await expect(page.getByRole('banner')).not.toBeInViewport()
  await context.close()
})

test('a tela que se perde no caminho dos planos ao cadastro oferece recarregar, e recarregada continua a compra', async ({
  page,
  complaints,
}) => {
  await page.goto('/planos')
  await page.route('**/assets/sign-up-*.js', (route) => route.abort())
  await page
    .getByRole('region', { name: 'Elite', exact: true })
    .getByRole('button', { name: 'Testar grátis por 7 dias' })
    .click()

  await expect(page.getByRole('heading', { name: 'Esta página não abriu como devia' })).toBeVisible()
  await expect(page.getByRole('banner')).toBeVisible()
  await expect(page).toHaveURL(/\/cadastro$/)
  await isAccessible(page)

  await page.unroute('**/assets/sign-up-*.js')
  await page.getByRole('button', { name: 'Recarregar a página' }).click()
  await expect(page.getByLabel('Nome completo')).toBeVisible()
  await expect(page.getByText('Elite Nível 1', { exact: true })).toBeVisible()
  complaints.expect(/ERR_FAILED .*sign-up/, /^TypeError: .*sign-up/)
})

test('o rodapé que não chega não leva a tela junto', async ({ page, complaints }) => {
  await page.route('**/assets/footer-*.js', (route) => route.abort())
  await page.goto('/login')
  await expect(page.getByLabel('Email')).toBeVisible()
  await expect(page.getByRole('contentinfo')).toHaveCount(0)
  complaints.expect(/ERR_FAILED .*footer/, /^TypeError: .*footer/)
})

test('páginas prontas sem os seus scripts se leem, guardam o lugar dos preços do código e oferecem recarregar', async ({
  page,
  complaints,
}) => {
  await hurry(page)
  await page.route('**/assets/site-*.js', (route) => route.abort())
  const goto = async (path: string) => page.evaluate((to) => location.assign(to), path)
  await page.route('**/antes', (route) => route.fulfill({ contentType: 'text/html', body: '<p>antes' }))
  await page.goto('/antes')
  for (const path of ['/', '/planos-promo?promo=final']) {
    await goto(path)
    await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible()
    await expect(
      page.getByRole('complementary').getByRole('link', { name: 'Recarregar a página' }),
    ).toBeVisible()
  }
  // A price of another code is worse than none.
  await expect(page.getByText('R$ 88,11').first()).toBeAttached()
  await expect(page.getByText('R$ 88,11').filter({ visible: true })).toHaveCount(0)
  // Its plans are chosen by buttons that wait: said, with somebody to ask.
  const late = page.getByRole('complementary', { name: 'Esta página está demorando para abrir' })
  await expect(late).toContainText('Para escolher um plano, recarregue a página')
  await expect(late.getByRole('link', { name: 'Central de Ajuda' })).toHaveAttribute('href', /garimpo=ajuda/)
  await isAccessible(page)
  await fits(page, 320)
  await page.setViewportSize({ width: 390, height: 844 })

  await page.unroute('**/assets/site-*.js')
  await page.getByRole('link', { name: 'Recarregar a página' }).click()
  await expect(
    page.getByRole('region', { name: 'Top Afiliado', exact: true }).getByText('*depois R$ 97,90/mês'),
  ).toBeVisible()
  await expect(page.getByRole('complementary')).toBeHidden()
  expect(page.url()).toContain('promo=final')
  complaints.expect(/ERR_FAILED .*site/, /^TypeError: .*site/)
})
