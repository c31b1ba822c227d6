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

const WINDOWS = [
  [390, 'light'],
  [1280, 'light'],
  [1280, 'dark'],
] as const

for (const [width, colorScheme] of WINDOWS) {
  test(`every part in every state is accessible and fits at ${width} px, ${colorScheme}`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/gallery.html')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    // A frame is checked by itself below. Here axe would wait a second for each that has not
    // loaded.
    const addresses = await page.locator('iframe').evaluateAll((frames) =>
      frames.map((frame) => {
        frame.remove()
        return frame.getAttribute('src') ?? ''
      }),
    )
    await expectAccessible(page)
    await expectFits(page, width)
    for (const address of addresses) {
      await page.goto(address)
      await expect(page.locator('[open], [popover] > *, main > :is(div, section)').first()).toBeVisible()
      await expectAccessible(page)
    }
  })
}
