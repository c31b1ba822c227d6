import { expectAccessible } from './accessibility'
import { expect, test } from './product'

for (const path of ['/', '/promo-landing'])
  test(`on ${path} a visitor chooses a product and sees its finished post, also without JavaScript`, async ({
    browser,
    product,
  }) => {
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ baseURL: product.url, javaScriptEnabled })
      const page = await context.newPage()
      await page.goto(path)
      const shown = page.getByRole('figure').filter({ hasText: 'seu.link' })
      await expect(shown).toHaveCount(1)
      await expect(shown).toContainText('amazon.com.br/fritadeira-4l')

      await page.locator('fieldset').getByText('Tênis', { exact: true }).click()
      await expect(shown).toHaveCount(1)
      await expect(shown).toContainText('mercadolivre.com.br/tenis-corrida')
      await expect(shown).toContainText('De R$ 319,00 por R$ 189,00')
      await expect(shown).toContainText('-41%')
      await expect(shown).toContainText('Enviado para 2 grupos')

      // By keyboard the arrows choose, as in any group of radio buttons.
      await page.keyboard.press('ArrowRight')
      await expect(page.getByRole('radio', { name: 'Fone' })).toBeChecked()
      await expect(shown).toContainText('shopee.com.br/fone-bluetooth')
      if (javaScriptEnabled) await expectAccessible(page)
      await context.close()
    }
  })

test('the finished post is visible on the first screen of a phone, of a small one down to its price', async ({
  page,
}) => {
  for (const [width, height, last] of [
    [390, 844, 'seu.link/fritadeira'],
    [360, 640, 'R$ 247,90'],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto('/')
    const post = page.getByRole('figure').filter({ hasText: 'seu.link' })
    await expect(post.getByText(last)).toBeInViewport({ ratio: 1 })
  }
})

test('with reduced motion the demo does not move', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto('/')
  const moving = await page
    .getByRole('figure')
    .first()
    .evaluate((figure) => figure.getAnimations({ subtree: true }).length)
  expect(moving).toBe(0)
})
