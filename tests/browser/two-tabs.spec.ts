import type { Page } from '@playwright/test'
import { waitForCheckoutSession } from './payment-frame'
import { arriveAtUpsell, choosePlan, expect, takeOffer, test } from './product'

const expectChosen = (page: Page, plan: string) =>
  expect(page.getByText(`Você escolheu o ${plan}.`)).toBeVisible()
const readStoredPlan = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('selectedPlan') ?? 'null'))

test('two tabs with two plans keep each their own, also after a reload', async ({ page, context }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const other = await context.newPage()
  await choosePlan(other, 'Elite PRO', 'PRO 1')
  await other.waitForURL('**/upsell')
  await expectChosen(other, 'Elite PRO 1')

  await page.reload()
  await expectChosen(page, 'Elite Nível 2')
  await other.reload()
  await expectChosen(other, 'Elite PRO 1')
  // The documented key holds the latest choice.
  expect(await readStoredPlan(page)).toMatchObject({ name: 'Elite PRO 1' })

  const checkout = await takeOffer(page, 'Semestral')
  await waitForCheckoutSession(checkout)
  await expect(checkout.getByRole('complementary', { name: 'Resumo' })).toContainText('Elite Nível 2')
  await other.reload()
  await expectChosen(other, 'Elite PRO 1')
})
