import { arriveAtUpsell, choosePlan } from '../browser/product'
import { expect, test } from './screen-test'

test('a sign-out in one tab forgets the plan of all tabs', async ({ page, context }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const other = await context.newPage()
  await choosePlan(other, 'Elite PRO', 'PRO 1')
  await other.waitForURL('**/upsell')

  await other.goto('/area-usuario')
  await other.getByRole('button', { name: 'Sair' }).click()
  await expect.poll(() => new URL(other.url()).pathname).toBe('/')

  await page.reload()
  await page.waitForURL('**/planos')
})
