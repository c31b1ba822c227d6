import { arriveAtUpsell, expect, takeOffer, test } from './product'

test('at 1280 px the content of each page begins at the same column', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 })
  const left = async (selector: string) => (await page.locator(selector).first().boundingBox())?.x
  await page.goto('/planos')
  const column = await left('header a[href="/"]')
  expect(column).toBe(60)
  expect(await left('[aria-label="Top Afiliado"]')).toBe(column)

  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await expect(page.getByRole('region', { name: 'Trimestral' })).toBeVisible()
  expect(await left('main h1')).toBe(column)
  expect(await left('section[aria-label="Trimestral"]')).toBe(column)
  const checkout = await takeOffer(page, 'Anual')
  await checkout.setViewportSize({ width: 1280, height: 900 })
  await expect(checkout.getByRole('heading', { name: 'Finalizar Assinatura' })).toBeVisible()
  expect((await checkout.locator('main h1').boundingBox())?.x).toBe(column)
  expect((await checkout.locator('header a[href="/"]').boundingBox())?.x).toBe(column)
  await page.goto('/area-usuario')
  await expect(page.getByRole('heading', { name: 'Minha Conta' })).toBeVisible()
  expect(await left('main h1')).toBe(column)
})
