/** The challenge of sign-ups beyond 20 an hour of an address, as the sandbox shows it. */

import { expect, test } from './screen-test'

test('without a challenge the sign-up page is not loaded anew', async ({ page }) => {
  await page.goto('/login')
  await page.evaluate(() => Object.assign(globalThis, { stayed: true }))
  await page.getByRole('main').getByRole('link', { name: 'Cadastre-se' }).click()
  await expect(page.getByLabel('Nome completo')).toBeVisible()
  expect(await page.evaluate(() => 'stayed' in globalThis)).toBe(true)
})
