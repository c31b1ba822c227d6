/** The pages of the app follow the visitor's dark scheme. */
import { expectAccessible } from '../browser/accessibility'
import { createAccount } from '../browser/product'
import { accountState, inDays, subscription } from './messages'
import { expect, test } from './screen-test'

test('the pages of the app are dark and accessible where the visitor prefers that', async ({
  page,
  backend,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  for (const path of ['/login', '/cadastro', '/esqueci-senha', '/account-confirmation']) {
    if (path === '/account-confirmation') await createAccount(page)
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(12, 26, 22)')
    await expectAccessible(page)
  }

  const states = [{ trialEndsAt: inDays(5) }, { trialEndsAt: inDays(0.05) }, { subscription: subscription() }]
  for (const state of states) {
    backend.state = accountState(state)
    await page.goto('/area-usuario')
    await expect(page.getByRole('heading', { level: 1, name: 'Minha Conta' })).toBeVisible()
    await expect(page.locator('[aria-busy]')).toHaveCount(0)
    await expectAccessible(page)
  }
})
