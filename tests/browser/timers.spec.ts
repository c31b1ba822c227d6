import type { Page } from '@playwright/test'
import { payByCard } from './payment-frame'
import { arriveAtUpsell, expect, takeOffer, test } from './product'

/** Pauses the clock of all pages of the context: only `runFor` advances it. */
async function pauseClock(page: Page) {
  await page.clock.pauseAt(Date.now() + 1_000)
}

/**
 * Advances the clock in small steps until `look` returns the value, because pages need their
 * timers.
 */
async function runClockUntil(page: Page, look: () => Promise<unknown>, value: unknown) {
  await expect
    .poll(async () => {
      await page.clock.runFor(100)
      return look()
    })
    .toBe(value)
}

test('the hold of the offers lasts 15 minutes, and a closed tab is noticed within 3 seconds', async ({
  page,
}) => {
  await page.clock.install()
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await expect(page.getByText(/ficam reservadas por 1[45]:\d\d/)).toBeVisible()
  const ends = await page.evaluate(() => Date.parse(localStorage.getItem('upsellEndTime') ?? ''))
  await pauseClock(page)
  const left = ends - (await page.evaluate(() => Date.now()))
  expect(left).toBeLessThanOrEqual(15 * 60_000)

  // The page counts by the server's clock, which it knows to the duration of one response.
  await page.clock.fastForward(left - 5_000)
  await expect(page.getByText(/ficam reservadas por 00:0[2-8]/)).toBeVisible()
  await page.clock.runFor(8_000)
  await expect(page.getByText('O tempo da reserva acabou. Estes são os valores de agora.')).toBeVisible()

  const tab = await takeOffer(page, 'Semestral')
  const overlay = page.getByText('Abrindo checkout...')
  await expect(overlay).toBeVisible()
  // Right after a check of the tab: the next one follows after 3 seconds.
  await page.clock.runFor(3_000)
  await tab.close()
  await page.clock.runFor(2_900)
  await expect(overlay).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/upsell')
  await runClockUntil(page, async () => new URL(page.url()).pathname, '/payment-canceled')
})

test('after the payment the checkout window closes in 3 seconds', async ({ page }) => {
  await page.clock.install()
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  await expect(tab.frameLocator('iframe').getByLabel('Número do cartão')).toBeVisible()
  await pauseClock(page)
  await payByCard(tab, '4242424242424242')
  const paid = tab.getByText('Pagamento confirmado', { exact: false })
  await runClockUntil(page, () => paid.count(), 1)
  await page.clock.runFor(2_700)
  expect(tab.isClosed()).toBe(false)
  await page.clock.runFor(300)
  await expect.poll(() => tab.isClosed()).toBe(true)
})
