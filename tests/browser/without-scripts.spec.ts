/** Slow, failed or disabled scripts: the page is never blank. */
import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from './accessibility'
import { expect, test } from './product'

const accountPaths = ['/login', '/cadastro', '/esqueci-senha', '/area-usuario', '/upsell']

/** Speeds up CSS animations, so that delayed notices show at once. */
async function speedUpAnimations(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Animation.enable')
  await devtools.send('Animation.setPlaybackRate', { playbackRate: 20 })
}

test('without JavaScript the account pages state that they need it', async ({ browser, product }) => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    baseURL: product.url,
    viewport: { width: 390, height: 844 },
  })
  const page = await context.newPage()
  for (const path of accountPaths) {
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
  // A link replaces the button of the card, which needs JavaScript.
  const card = page.getByRole('region', { name: 'Top Afiliado', exact: true })
  await expect(card.getByRole('link', { name: 'Criar conta' })).toHaveAttribute('href', '/cadastro')
  await expect(card.getByRole('button', { name: 'Testar grátis por 7 dias' })).toBeHidden()

  // The menu is always open and scrolls away with the page.
  await expect(page.getByRole('navigation', { name: 'Principal' })).toBeVisible()
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  await expect(page.getByRole('banner')).not.toBeInViewport()
  await context.close()
})

test('prerendered pages without their scripts can be read, hide the prices of a code and offer a reload', async ({
  page,
  pageErrors,
}) => {
  await speedUpAnimations(page)
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
  // The price of another code must not show.
  await expect(page.getByText('R$ 88,11').first()).toBeAttached()
  await expect(page.getByText('R$ 88,11').filter({ visible: true })).toHaveCount(0)
  // Its buttons need scripts: the notice states that and links to the help.
  const late = page.getByRole('complementary', { name: 'Esta página está demorando para abrir' })
  await expect(late).toContainText('Para escolher um plano, recarregue a página')
  await expect(late.getByRole('link', { name: 'Central de Ajuda' })).toHaveAttribute('href', /garimpo=ajuda/)
  await expectAccessible(page)
  await expectFits(page, 320)
  await page.setViewportSize({ width: 390, height: 844 })

  await page.unroute('**/assets/site-*.js')
  await page.getByRole('link', { name: 'Recarregar a página' }).click()
  await expect(
    page.getByRole('region', { name: 'Top Afiliado', exact: true }).getByText('*depois R$ 97,90/mês'),
  ).toBeVisible()
  await expect(page.getByRole('complementary')).toBeHidden()
  expect(page.url()).toContain('promo=final')
  pageErrors.expect(/ERR_FAILED .*site/, /^TypeError: .*site/)
})
