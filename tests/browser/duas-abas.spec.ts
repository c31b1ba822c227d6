import type { Page } from '@playwright/test'
import { openedSession } from './payment-frame'
import { arriveAtUpsell, choosePlan, expect, takeOffer, test } from './product'

const chosen = (page: Page, plan: string) => expect(page.getByText(`Você escolheu o ${plan}.`)).toBeVisible()
const stored = (page: Page) => page.evaluate(() => JSON.parse(localStorage.getItem('selectedPlan') ?? 'null'))

test('duas abas com dois planos guardam cada uma o seu, também ao recarregar', async ({ page, context }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const other = await context.newPage()
  await choosePlan(other, 'Elite PRO', 'PRO 1')
  await other.waitForURL('**/upsell')
  await chosen(other, 'Elite PRO 1')

  await page.reload()
  await chosen(page, 'Elite Nível 2')
  await other.reload()
  await chosen(other, 'Elite PRO 1')
  // The documented key holds the latest choice.
  expect(await stored(page)).toMatchObject({ name: 'Elite PRO 1' })

  const checkout = await takeOffer(page, 'Semestral')
  await openedSession(checkout)
  await expect(checkout.getByRole('complementary', { name: 'Resumo' })).toContainText('Elite Nível 2')
  await other.reload()
  await chosen(other, 'Elite PRO 1')
})

test('sair em uma aba esquece o plano de todas', async ({ page, context }) => {
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
