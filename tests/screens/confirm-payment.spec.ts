import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { createAccount } from '../browser/product'
import { createSubscriber } from './account'
import { subscriptions } from './messages'
import { expect, test } from './screen-test'

test('a user with nothing to confirm reads that, and can open the account', async ({ page }) => {
  await createAccount(page)
  await page.goto('/confirmar-pagamento')
  await expect(page.getByText('Nenhum pagamento espera a sua confirmação')).toBeVisible()
  await page.getByRole('link', { name: 'Ver minha conta' }).click()
  await page.waitForURL('**/area-usuario')
})

test('while payments are down the page says so on opening and after a failed attempt', async ({
  page,
  backend,
}) => {
  const { getPaymentAuthentication } = BillingService.method
  const down = 'Os pagamentos estão fora do ar no momento. Tente novamente mais tarde.'
  await createSubscriber(page, backend, subscriptions.authentication)
  backend.refuses(getPaymentAuthentication, 'PAYMENTS_DOWN')
  await page.goto('/confirmar-pagamento')
  await expect(page.getByRole('heading', { name: 'Não conseguimos abrir a confirmação' })).toBeVisible()
  await expect(page.getByText(down)).toBeVisible()

  const unconfirmed =
    "() => ({ confirmCardPayment: async () => ({ error: { code: 'authentication_required' } }) })"
  backend.onPath(
    '/provider.js',
    () => new Response(`window.Stripe = ${unconfirmed}`, { headers: { 'content-type': 'text/javascript' } }),
  )
  backend.returns(getPaymentAuthentication, { clientSecret: 'pi_1_secret_1', amountCentavos: 21_790n })
  await page.reload()
  await page.getByRole('button', { name: /^Confirmar R\$/ }).click()
  await expect(page.getByRole('alert')).toContainText('O pagamento não foi confirmado')
  backend.refuses(getPaymentAuthentication, 'PAYMENTS_DOWN')
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(page.getByRole('alert')).toContainText(down)
})
