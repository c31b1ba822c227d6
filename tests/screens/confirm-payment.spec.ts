import { createAccount } from '../browser/product'
import { expect, test } from './screen-test'

test('a user with nothing to confirm reads that, and can open the account', async ({ page }) => {
  await createAccount(page)
  await page.goto('/confirmar-pagamento')
  await expect(page.getByText('Nenhum pagamento espera a sua confirmação')).toBeVisible()
  await page.getByRole('link', { name: 'Ver minha conta' }).click()
  await page.waitForURL('**/area-usuario')
})
