import { expect, type Locator, type Page } from '@playwright/test'
import { createAccount, type Person } from './product'

export const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const dialog = (page: Page) => page.getByRole('dialog')
export const toast = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Avisos' }).getByText(text)
export const security = (page: Page) => region(page, 'Segurança')
/** The signed-in devices. */
export const devices = (page: Page) => security(page).getByRole('listitem')

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

/** Signs up and opens the account, until its devices are shown. */
export async function openNewAccount(page: Page): Promise<Person> {
  const who = await createAccount(page)
  await page.goto('/area-usuario')
  await expect(devices(page)).toHaveCount(1)
  return who
}
