import type { Page } from '@playwright/test'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { createSubscriber, SESSION } from './account'
import { boleto, checkout, subscriptions } from './messages'
import { expect, test } from './screen-test'

/** Pauses the clock of all pages of the context: only `runFor` advances it. */
async function pauseClock(page: Page) {
  await page.clock.pauseAt(Date.now() + 1_000)
}

test('an awaited boleto is read every 3 seconds for a minute, then every 30 and on focus', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, subscriptions.awaitingBoleto)
  backend.returns(
    BillingService.method.getCheckoutSession,
    checkout({ status: 'complete', boleto: boleto() }),
  )
  let reads = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/GetCheckoutSession')) reads += 1
  })
  const readsWithin = async (seconds: number) => {
    const before = reads
    // In steps of a call each, because the next wait begins with the response to a read.
    for (let second = 0; second < seconds; second += 1) {
      await page.clock.runFor(1_000)
      await page.evaluate(async () => void (await (await fetch('/robots.txt')).text()))
    }
    return reads - before
  }
  await page.clock.install()
  await page.goto(`/payment-awaited?session_id=${SESSION}`)
  await expect(page.getByText(/\d{5}\.\d{5} \d{5}/)).toBeVisible()
  await pauseClock(page)
  expect(await readsWithin(30)).toBeGreaterThan(5)
  await readsWithin(35)
  expect(await readsWithin(60)).toBeLessThan(4)
  const before = reads
  await page.evaluate(() => dispatchEvent(new Event('focus')))
  await expect.poll(() => reads - before).toBe(1)
})
