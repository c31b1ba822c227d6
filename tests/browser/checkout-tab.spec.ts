import { payByCard, waitForCheckoutSession } from './payment-frame'
import {
  arriveAtUpsell,
  expect,
  type Product,
  productPerTest,
  takeOffer,
  test,
  walkToUpsell,
} from './product'

const card = { card: '4242424242424242' }

test('when the paid tab passes /checkout-return, the offers page confirms the payment too', async ({
  page,
  product,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  const session = await waitForCheckoutSession(tab)
  expect(await product.postToSandbox(`checkout/${session}`, card)).toBe(200)

  await tab.goto(`/checkout-return?session_id=${session}`)

  await tab.waitForURL('**/payment-success**')
  await page.waitForURL('**/payment-success**')
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
})

test('offers reloaded while the checkout tab is open lead to the confirmation when it pays', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  await waitForCheckoutSession(tab)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Aproveite as Ofertas Exclusivas' })).toBeVisible()

  await payByCard(tab, card.card)

  await page.waitForURL('**/payment-success**')
  await expect.poll(() => tab.isClosed()).toBe(true)
})

test('offers reloaded after the payment lead to the confirmation', async ({ page, product }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const session = await waitForCheckoutSession(await takeOffer(page, 'Semestral'))
  expect(await product.postToSandbox(`checkout/${session}`, card)).toBe(200)

  await page.reload()

  await page.waitForURL(`**/payment-success?session_id=${session}`)
})

test('a paid checkout tab without an offers page opens the confirmation itself', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  await waitForCheckoutSession(tab)
  await page.goto('/planos')

  await payByCard(tab, card.card)

  await tab.waitForURL('**/payment-success**')
  await expect(tab.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
})

test('with blocked storage the choice reaches the checkout tab and the purchase succeeds', async ({
  page,
  context,
}) => {
  await context.addInitScript(() => {
    if (location.protocol !== 'http:' || window !== window.top) return
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('blocked', 'SecurityError')
      },
    })
  })
  await walkToUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  await expect(tab.getByRole('complementary', { name: 'Resumo' })).toContainText('871,60')

  await payByCard(tab, card.card)

  await page.waitForURL('**/payment-success?session_id=**')
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
})

const blackNovemberTest = test.extend<{ product: Product }>(productPerTest({ GARIMPO_BLACK_NOVEMBER: 'on' }))

blackNovemberTest('looking at the annual offer does not lose the Black November price', async ({ page }) => {
  const deal = page.getByText(/R\$\s97,90 no 1º mês/)
  const stored = () => page.evaluate(() => JSON.parse(localStorage.getItem('selectedPlan') ?? 'null'))
  await walkToUpsell(page, 'Elite', 'Nível 1')
  await expect(deal).toBeVisible()
  const before = await stored()

  await (await takeOffer(page, 'Anual')).close()
  await page.waitForURL('**/payment-canceled**')
  expect(await stored()).toEqual(before)
  await page.getByRole('link', { name: 'Retomar assinatura' }).click()
  await page.waitForURL('**/upsell')
  await expect(deal).toBeVisible()

  // While the tab is open, the offer is stored. A page opened meanwhile restores the deal.
  await waitForCheckoutSession(await takeOffer(page, 'Anual'))
  await page.reload()
  await expect(deal).toBeVisible()
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  await expect((await popup).getByRole('complementary', { name: 'Resumo' })).toContainText('97,90')
})
