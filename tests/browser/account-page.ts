import { expect, type Locator, type Page } from '@playwright/test'

/**
 * Opens the account and waits until it shows this. What the provider's clock brought may still be on its way, and the
 * account reads again whenever its window gets the focus.
 */
export async function accountShows(page: Page, shown: Locator) {
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
