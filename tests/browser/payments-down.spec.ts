import { paymentFrame } from './payment-frame'
import { arriveAtUpsell, expect, type Product, productPerTest, test } from './product'

const isolatedTest = test.extend<{ product: Product }>(productPerTest())

isolatedTest(
  'a visitor reads that payments are down while the provider refuses our key, and buys afterwards',
  async ({ page, product }) => {
    await arriveAtUpsell(page, 'Elite', 'Nível 2')
    await product.injectFault({ path: '/v1/checkout/sessions', status: 401 })

    await page.goto('/checkout')

    const down = 'Os pagamentos estão fora do ar no momento. Tente novamente mais tarde.'
    await expect(page.getByRole('heading', { name: 'Erro', exact: true })).toBeVisible()
    await expect(page.getByText(down).first()).toBeVisible()

    await product.clearFaults()
    await page.getByRole('button', { name: 'Tentar novamente' }).click()
    await expect(paymentFrame(page).getByLabel('Número do cartão')).toBeVisible()
  },
)
