/** The app in development, where React's strict mode runs each effect twice. */
import { fileURLToPath } from 'node:url'
import { createServer } from '../../web/node_modules/vite/dist/node/index.js'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { createAccount, storeElitePlan } from '../browser/product'
import { SESSION } from './account'
import { expect, test as screenTest } from './screen-test'

const root = fileURLToPath(new URL('../../web', import.meta.url))

const test = screenTest.extend({
  baseURL: async ({ backend }, use) => {
    const proxy = Object.fromEntries(
      ['/garimpo.', '/api', '/config.json', '/provider.js'].map((path) => [path, backend.url]),
    )
    // The configuration reads files by their path in web.
    process.chdir(root)
    const server = await createServer({
      logLevel: 'warn',
      server: { host: '127.0.0.1', port: 0, proxy },
    })
    await server.listen()
    await use(server.resolvedUrls?.local[0])
    await server.close()
  },
})

test('a checkout creates one session, though its effect runs twice', async ({ page, backend }) => {
  let sessions = 0
  backend.on(BillingService.method.createCheckoutSession, ({ shownPriceCentavos }) => {
    sessions += 1
    return { clientSecret: `${SESSION}_secret_${sessions}`, amountTotalCentavos: shownPriceCentavos }
  })
  await createAccount(page)
  await storeElitePlan(page)
  // From a page under the same policy, so that the session is known when the checkout mounts.
  await page.goto('/confirmar-pagamento')
  await expect(page.getByRole('link', { name: 'Minha conta' }).first()).toBeVisible()
  await page.evaluate(() => {
    history.pushState({ idx: 1, key: 'checkout' }, '', '/checkout')
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
  })

  await expect(page.getByText('provider form')).toBeVisible()
  expect(sessions).toBe(1)
})
