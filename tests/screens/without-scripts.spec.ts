/** Slow, failed or disabled scripts: the page is never blank. */
import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from '../browser/accessibility'
import { hold } from '../browser/calls'
import { expect, test } from './screen-test'

const accountPaths = ['/esqueci-senha', '/area-usuario']
const frames = ['/login', '/cadastro']

/** Speeds up CSS animations, so that delayed notices show at once. */
async function speedUpAnimations(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Animation.enable')
  await devtools.send('Animation.setPlaybackRate', { playbackRate: 20 })
}

test('account pages whose scripts fail to load explain that, with a way out', async ({
  page,
  pageErrors,
}) => {
  await speedUpAnimations(page)
  await page.route('**/assets/*.js', (route) => route.abort())
  for (const path of accountPaths) {
    await page.goto(`${path}?promo=final`)
    await expect(
      page.getByRole('heading', { level: 1, name: 'Esta página está demorando para abrir' }),
      path,
    ).toBeVisible()
    await expect(page.getByRole('link', { name: 'Ir para o início' })).toHaveAttribute('href', '/')
  }
  await expectAccessible(page)
  await expectFits(page, 320)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()

  await page.unroute('**/assets/*.js')
  await page.getByRole('link', { name: 'Recarregar a página' }).click()
  await page.waitForURL((url) => url.search === '?promo=final' || url.pathname === '/planos')
  await expect(page.getByText('Esta página está demorando para abrir')).toBeHidden()
  pageErrors.expect(/ERR_FAILED .*\/assets\/.*\.js/)
})

test('frames whose scripts fail to load stay readable and offer a reload', async ({
  context,
  pageErrors,
}) => {
  const page = await context.newPage()
  await speedUpAnimations(page)
  await page.route('**/assets/*.js', (route) => route.abort())
  for (const path of frames) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible()
    await expect(
      page.getByRole('complementary', { name: 'Esta página está demorando para abrir' }),
    ).toBeVisible()
  }
  await expectAccessible(page)
  await expectFits(page, 320)
  await page.unroute('**/assets/*.js')
  await page.getByRole('link', { name: 'Recarregar a página' }).click()
  await expect(page.getByText('Esta página está demorando para abrir')).toHaveCount(0)
  pageErrors.expect(/ERR_FAILED .*\/assets\/.*\.js/, /^TypeError: .*app-/)
})

test('a sign-up form that waits for the chosen plan shows without its scripts too', async ({
  context,
  pageErrors,
}) => {
  const page = await context.newPage()
  await page.goto('/robots.txt')
  await page.evaluate(() =>
    localStorage.setItem('selectedPlan', JSON.stringify({ name: 'Elite Nível 1', interval: 'month' })),
  )
  await speedUpAnimations(page)
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.goto('/cadastro')
  await expect(page.getByLabel('Nome completo')).toBeVisible()
  pageErrors.expect(/ERR_FAILED .*\/assets\/.*\.js/, /^TypeError: .*app-/)
})

test('scripts that are only slow leave no notice once the page appears', async ({ page }) => {
  const arrive = await hold(page, '**/assets/forgot-password-*.js')
  const opened = page.goto('/esqueci-senha')
  await expect(page.getByText('Carregando...')).toBeVisible()
  await arrive()
  await opened
  await expect(page.getByLabel('Email')).toBeVisible()
  await expect(page.getByText('Carregando...')).toBeHidden()
  // Screen readers no longer find the notice.
  await expect(page.locator('[class^=late]')).toHaveCount(0)
  await expect(page).toHaveTitle(/^Recupera.* \| Garimpo$/)
})

test('a sign-up page that fails to load offers a reload, which continues the purchase', async ({
  page,
  pageErrors,
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
  await expectAccessible(page)

  await page.unroute('**/assets/sign-up-*.js')
  await page.getByRole('button', { name: 'Recarregar a página' }).click()
  await expect(page.getByLabel('Nome completo')).toBeVisible()
  await expect(page.getByText('Elite Nível 1', { exact: true })).toBeVisible()
  pageErrors.expect(/ERR_FAILED .*sign-up/, /^TypeError: .*sign-up/)
})
