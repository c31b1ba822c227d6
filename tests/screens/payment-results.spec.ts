import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from '../browser/accessibility'
import { failCall } from '../browser/calls'
import { arriveAtUpsell } from '../browser/product'
import { expect, test } from './screen-test'

const expectFitsAndAccessible = async (page: Page) => {
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
}

test('resuming a canceled payment leads to the offers, and with a longer period to the checkout', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const resume = page.getByRole('link', { name: 'Retomar assinatura' })
  await page.goto('/payment-canceled')
  await resume.click()
  await page.waitForURL('**/upsell')
  const offer = { price: 'R$ 1.307,40', period: '/ano', priceRaw: '1307.40', interval: 'anual' }
  await page.evaluate((offer) => {
    const plan = JSON.parse(localStorage.getItem('selectedPlan') ?? '{}')
    localStorage.setItem('selectedPlan', JSON.stringify({ ...plan, ...offer }))
  }, offer)
  await page.goto('/payment-canceled')
  await resume.click()
  await page.waitForURL('**/checkout')
  await expect(page.getByRole('complementary', { name: 'Resumo' })).toContainText(/Período\s*Anual/)
})

test('the checkout states the amount of the renewal and its interval in days', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 1')
  await page.evaluate(() => {
    const plan = JSON.parse(localStorage.getItem('selectedPlan') ?? '{}')
    const coupon = { price: 'R$ 118,74', priceRaw: '118.74', couponCode: 'BF40', couponId: 'bf40' }
    localStorage.setItem('selectedPlan', JSON.stringify({ ...plan, ...coupon }))
  })
  await page.goto('/checkout')
  const summary = page.getByRole('complementary', { name: 'Resumo' })
  await expect(summary).toContainText(/Cobrado hoje\s*R\$\s*118,74/)
  await expect(page.getByText('Renova por R$ 197,90 a cada 30 dias.')).toBeVisible()
  await expectFitsAndAccessible(page)
})

test('a checkout refused for its coupon or for a changed price states what to do', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await failCall(page, 'CreateCheckoutSession', 'COUPON_NOT_APPLICABLE')
  await page.goto('/checkout')
  await expect(page.getByText('Este cupom não vale para esta compra.')).toBeVisible()
  await expect(page.getByText('Sem o cupom, o valor é R$ 217,90/mês.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Continuar sem cupom' })).toBeVisible()
  await expectAccessible(page)

  await page.unrouteAll()
  await failCall(page, 'CreateCheckoutSession', 'PRICE_CHANGED', { price_centavos: '22790' })
  await page.reload()
  await expect(
    page.getByText('Você viu R$ 217,90. O valor de agora é R$ 227,90. Quer continuar?'),
  ).toBeVisible()
  await expect(page.getByRole('button', { name: 'Continuar por R$ 227,90' })).toBeVisible()
  await expectAccessible(page)
})
