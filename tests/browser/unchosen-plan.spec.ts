/** /checkout without a chosen plan. */
import { expectAccessible, expectFits } from './accessibility'
import { createAccount, expect, test } from './product'

test('a checkout without a chosen plan leads to the plans', async ({ page }) => {
  await createAccount(page)
  await page.goto('/checkout')

  await expect(page.getByRole('heading', { name: 'Escolha um plano para assinar' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(page.getByText('Erro', { exact: true })).toHaveCount(0)
  await expectAccessible(page)
  await expectFits(page, 320)
  await page.getByRole('link', { name: 'Ver planos' }).click()
  await page.waitForURL('**/planos')
})
