/** Forms and shared parts of the pages: typing, reading and screen readers. */
import { expectAccessible, expectFits } from './accessibility'
import { choosePlan, expect, type Product, productPerTest, test } from './product'

const blackNovemberTest = test.extend<{ product: Product }>(productPerTest({ GARIMPO_BLACK_NOVEMBER: 'on' }))

blackNovemberTest(
  'in Black November the sign-up states until when the price holds, and the price after it',
  async ({ page }) => {
    await choosePlan(page, 'Elite', 'Nível 1')
    await page.waitForURL('**/cadastro')
    const chosen = page.getByText('Plano escolhido Elite Nível 1')
    await expect(chosen).toHaveText(
      /por R\$\s97,90 no 1º mês Assinando até 30 de novembro. A partir do 2º mês, R\$\s197,90\/mês\.$/,
    )
    for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
    await expectAccessible(page)
  },
)

test('lists remain lists for screen readers in Safari', async ({ page }) => {
  await page.goto('/planos')
  const styles = await page
    .getByRole('main')
    .locator('ul, ol')
    .evaluateAll((lists) => lists.map((list) => getComputedStyle(list).listStyleType))
  expect(styles.length).toBeGreaterThan(2)
  expect(styles).not.toContain('none')
})

test('a carousel outside the window does not turn', async ({ page }) => {
  await page.clock.install()
  await page.goto('/')
  const tabs = page
    .getByRole('tablist')
    .filter({ hasText: 'Divulgador' })
    .or(page.getByRole('tablist').first())
    .first()
  const selected = () => tabs.locator('[aria-selected="true"]').textContent()
  await tabs.scrollIntoViewIfNeeded()
  const first = await selected()
  const turned = async () => {
    await page.clock.runFor(1_000)
    return selected()
  }
  await expect.poll(turned).not.toBe(first)

  await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
  await expect(tabs).not.toBeInViewport()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const left = await selected()
  await page.clock.runFor(40_000)
  expect(await selected()).toBe(left)
})
