import type { Page } from '@playwright/test'
import { payByCard } from './payment-frame'
import { arriveAtUpsell, expect, takeOffer, test } from './product'

/** From here on time passes only by `runFor`, in every page of the context. */
async function stop(page: Page) {
  await page.clock.pauseAt(Date.now() + 1_000)
}

/** Lets time pass in small steps until something is there, since pages need their timers to come so far. */
async function until(page: Page, look: () => Promise<unknown>, value: unknown) {
  await expect
    .poll(async () => {
      await page.clock.runFor(100)
      return look()
    })
    .toBe(value)
}

test('a reserva das ofertas dura 15 minutos, e a aba fechada é notada em 3 segundos', async ({ page }) => {
  await page.clock.install()
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await expect(page.getByText(/ficam reservadas por 1[45]:\d\d/)).toBeVisible()
  const ends = await page.evaluate(() => Date.parse(localStorage.getItem('upsellEndTime') ?? ''))
  await stop(page)
  const left = ends - (await page.evaluate(() => Date.now()))
  expect(left).toBeLessThanOrEqual(15 * 60_000)

  // The page counts by the server's clock, which it knows to the travel of one answer.
  await page.clock.fastForward(left - 5_000)
  await expect(page.getByText(/ficam reservadas por 00:0[2-8]/)).toBeVisible()
  await page.clock.runFor(8_000)
  await expect(page.getByText('O tempo da reserva acabou. Estes são os valores de agora.')).toBeVisible()

  const tab = await takeOffer(page, 'Semestral')
  const overlay = page.getByText('Abrindo checkout...')
  await expect(overlay).toBeVisible()
  // Right after a look: the next one is 3 seconds away.
  await page.clock.runFor(3_000)
  await tab.close()
  await page.clock.runFor(2_900)
  await expect(overlay).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/upsell')
  await until(page, async () => new URL(page.url()).pathname, '/payment-canceled')
})

test('depois do pagamento a janela do checkout fecha em 3 segundos', async ({ page }) => {
  await page.clock.install()
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  await expect(tab.frameLocator('iframe').getByLabel('Número do cartão')).toBeVisible()
  await stop(page)
  await payByCard(tab, '4242424242424242')
  const paid = tab.getByText('Pagamento confirmado', { exact: false })
  await until(page, () => paid.count(), 1)
  await page.clock.runFor(2_700)
  expect(tab.isClosed()).toBe(false)
  await page.clock.runFor(300)
  await expect.poll(() => tab.isClosed()).toBe(true)
})
