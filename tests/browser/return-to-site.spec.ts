import { expectAccessible } from './accessibility'
import { waitUntilAccountShows } from './account-page'
import { waitForCheckoutSession } from './payment-frame'
import {
  arriveAtUpsell,
  choosePlan,
  createSubscriber,
  expect,
  type Product,
  productPerTest,
  takeOffer,
  test,
  waitForUserRecord,
} from './product'

test('a checkout that expired in its tab leads to the plans, and its opener to the canceled page', async ({
  page,
  product,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Anual')
  const session = await waitForCheckoutSession(tab)
  await page.request.post(`${product.sandbox}/v1/checkout/sessions/${session}/expire`, {
    headers: { authorization: 'Bearer sk_test_garimpo' },
  })

  await tab.evaluate(() => window.dispatchEvent(new Event('focus')))

  await tab.waitForURL('**/planos')
  await expect(tab.getByText('Sua sessão de pagamento expirou. Escolha o plano novamente.')).toBeVisible()
  await page.waitForURL('**/payment-canceled**')
  await expect(page).toHaveTitle('Pagamento cancelado | Garimpo')
})

test('a checkout paid elsewhere is noticed when its tab gets the focus', async ({ page, product }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Anual')
  const session = await waitForCheckoutSession(tab)
  expect(await product.postToSandbox(`checkout/${session}`, { card: '4242424242424242' })).toBe(200)

  await tab.evaluate(() => window.dispatchEvent(new Event('focus')))

  await page.waitForURL('**/payment-success?session_id=**')
  await expect(page).toHaveTitle('Pagamento confirmado | Garimpo')
})

const isolatedTest = test.extend<{ product: Product }>(productPerTest())

isolatedTest(
  'a suspended subscription states the reason and leads to the portal',
  async ({ page, product }) => {
    await createSubscriber(page, product, 'Elite Nível 2', {
      interval: 'trimestral',
      by: '4000000000000341',
    })
    await page.request.post(`${product.sandbox}/clock`, {
      data: { advance_seconds: 93 * 86_400, keep_sessions: true },
    })

    const card = page.getByRole('region', { name: 'Assinatura', exact: true })
    await waitUntilAccountShows(page, card.getByText('O pagamento da renovação não foi aprovado'))
    await expect(card.getByText('Seu acesso está suspenso até um pagamento ser confirmado.')).toBeVisible()
    const open =
      'A cobrança de R$ 522,96 está em aberto: ao salvar um cartão novo, ela é feita na hora. Ela paga o período que começou em '
    await expect(card.getByText(open)).toBeVisible()
    await expect(card.getByText('Inativa', { exact: true })).toHaveCSS('color', 'rgb(244, 168, 150)')

    // A choice of another plan first shows the open invoice, which can be paid instead.
    await choosePlan(page, 'Elite', 'Nível 3')
    await page.waitForURL('**/upsell')
    const first = page.getByRole('region', { name: 'Sua assinatura está suspensa' })
    await expect(first).toContainText(
      'A renovação do Elite Nível 2 está em aberto e conta desde o vencimento: pague',
    )
    // Also for the same plan.
    await expect(first).toContainText(
      'Se você assinar por aqui, os dias contam de hoje e ela é cancelada: não pague as duas.',
    )
    await page.goto('/payment-canceled')
    await expect(first.getByRole('button', { name: 'Pagar a renovação' })).toBeVisible()
    await page.goto('/upsell')
    await first.getByRole('button', { name: 'Pagar a renovação' }).click()
    await page.waitForURL(`${product.sandbox}/portal/**`)
    await page.goto('/area-usuario')
    await card.getByRole('button', { name: 'Atualizar pagamento' }).click()
    await page.waitForURL(`${product.sandbox}/portal/**`)
  },
)

isolatedTest(
  'an open renewal shows on the plans, hides the stored coupon and is paid by a new card',
  async ({ page, product }) => {
    // This card is declined at every charge after the first.
    await createSubscriber(page, product, 'Elite Nível 1', { by: '4000000000000341' })
    await page.request.post(`${product.sandbox}/clock`, {
      data: { advance_seconds: 31 * 86_400, keep_sessions: true },
    })
    await waitForUserRecord(page, (user) => user.subscription_status === 'suspended')
    const kept = page.getByRole('region', { name: 'Seu cupom' })
    const open =
      /^A renovação do Elite\sNível\s1 está em aberto: .* Se você assinar por aqui, ela é cancelada: não pague as duas\.$/
    await page.goto('/')
    await expect(page.getByText(open)).toBeVisible()
    await page.goto('/planos?promo=blackfriday')
    await expect(kept).toBeVisible()
    await expect(page.getByText(open)).toBeVisible()
    await page.getByRole('link', { name: 'Ver a renovação' }).click()
    await page.waitForURL('**/area-usuario')

    const card = page.getByRole('region', { name: 'Assinatura', exact: true })
    await waitUntilAccountShows(
      page,
      card.getByText(
        'A cobrança de R$ 197,90 está em aberto: ao salvar um cartão novo, ela é feita na hora.',
      ),
    )
    await expect(kept).toHaveCount(0)
    await expectAccessible(page)
    await card.getByRole('button', { name: 'Atualizar pagamento' }).click()
    await page.getByLabel('Número do cartão').fill('4242424242424242')
    await page.getByLabel('Validade').fill('12/34')
    await page.getByLabel('CVC').fill('123')
    await page.getByLabel('Nome no cartão').fill('ANA M SOUZA')
    await page.getByRole('button', { name: 'Atualizar cartão' }).click()
    await waitForUserRecord(page, (user) => user.subscription_status === 'active')
    await waitUntilAccountShows(page, card.getByText('Ativa', { exact: true }))
    await expect(card.getByText('está em aberto')).toHaveCount(0)
  },
)
