/** The first screen on a phone, and what may cover it. */

import { boxOf, coveredControls } from './accessibility'
import { consentBar } from './ad-platforms'
import { paymentFrame } from './payment-frame'
import { arriveAtUpsell, createAccount, expect, test } from './product'

test.use({ viewport: { width: 390, height: 844 } })

test('nothing covers the buttons of the first screen, signed in or not', async ({ page }) => {
  const expectUncovered = async () => {
    for (const path of ['/', '/planos', '/solucoes', '/promo-landing'])
      for (const width of [360, 600, 768, 1024, 1280]) {
        await page.setViewportSize({ width, height: 844 })
        await page.goto(path)
        await expect.poll(() => coveredControls(page), `${path} at ${width}`).toEqual([])
      }
  }
  await expectUncovered()
  await createAccount(page)
  await expectUncovered()
})

test('the checkout shows the first card field on the first screen, below plan and guarantee', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await page.goto('/checkout')
  const label = paymentFrame(page).getByText('Número do cartão', { exact: true })
  await expect(label).toBeVisible()
  const summary = page.getByRole('complementary', { name: 'Resumo' })
  for (const said of ['Elite Nível 2', 'Garantia de 7 dias', 'Você está no teste grátis até'])
    await expect(summary).toContainText(said)
  await expect(page.getByRole('link', { name: 'Continuar no teste grátis' })).toHaveCount(0)
  const [first, above, frame] = await Promise.all([
    label.boundingBox(),
    summary.boundingBox(),
    page.locator('iframe').boundingBox(),
  ])
  expect((first?.y ?? Number.NaN) + (first?.height ?? 0)).toBeLessThan(700)
  expect((above?.y ?? Number.NaN) + (above?.height ?? 0)).toBeLessThanOrEqual(frame?.y ?? 0)
})

test.describe('while the ads consent is unanswered', () => {
  test.use({ isConsentAnswered: false, viewport: { width: 360, height: 600 } })

  test('the consent bar takes one line, and the result of the plan finder stays visible above it', async ({
    page,
  }) => {
    await page.goto('/planos')
    const question = await boxOf(consentBar(page))
    expect(question.height).toBeLessThanOrEqual(80)
    await page.getByText('4 a 10', { exact: true }).click()
    const look = page.getByRole('button', { name: 'Ver o Elite Nível 1' })
    await expect.poll(async () => (await boxOf(look)).bottom).toBeLessThanOrEqual(question.y)
  })
})
