import { expect, type Locator, type Page } from '@playwright/test'

/**
 * Opens the account and waits until it shows an element. Provider events may arrive later, and the
 * account reads again when its window gets the focus.
 */
export async function waitUntilAccountShows(page: Page, shown: Locator) {
  await page.goto('/area-usuario')
  await expect
    .poll(
      async () => {
        await page.evaluate(() => dispatchEvent(new Event('focus')))
        return shown.first().isVisible()
      },
      { timeout: 30_000 },
    )
    .toBe(true)
}
