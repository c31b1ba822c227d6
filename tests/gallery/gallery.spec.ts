import { test as base, expect } from '@playwright/test'
import { expectAccessible, expectFits } from '../browser/accessibility'
import { PageErrors } from '../browser/page-errors'

/** An error of a page fails its test. */
const test = base.extend<{ pageErrors: PageErrors }>({
  pageErrors: [
    async ({ browser, context }, use) => {
      const errors = new PageErrors()
      const stop = errors.start(browser, context)
      await use(errors)
      stop()
      await errors.check()
    },
    { auto: true },
  ],
})

for (const width of [390, 1280]) {
  test(`the gallery is accessible and fits at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/gallery.html')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expectAccessible(page)
    await expectFits(page, width)
  })

  test(`every part that takes the whole screen is accessible at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/gallery.html')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const frames = page.locator('iframe')
    const addresses = await frames.evaluateAll((all) => all.map((frame) => frame.getAttribute('src') ?? ''))
    for (const address of new Set(addresses)) {
      await page.goto(address)
      await expect(page.locator('[open], [popover] > *, main > div').first()).toBeVisible()
      await expectAccessible(page)
    }
  })
}
