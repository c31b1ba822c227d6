/** Calls of the adapter outside purchases: account marker, open invoices and rehearsals. */
import { expect, test } from './sandbox'
import { advance, buy, createShop } from './shop'

const DAY = 86_400

test('account, balance and marker product show which account it is, and its mode', async ({ sdk }) => {
  const account = await sdk.accounts.retrieveCurrent()
  const balance = await sdk.balance.retrieve()
  const mark = await sdk.products.create({
    id: 'marca',
    name: 'Marca',
    active: false,
    metadata: { garimpo: 'account_marker' },
  })
  const products = await sdk.products.list({ limit: 100 })

  expect(account.id).toMatch(/^acct_/)
  expect(balance.livemode).toBe(false)
  expect(mark).toMatchObject({ id: 'marca', active: false })
  expect(products.data.map((one) => one.id)).toContain('marca')
})

test('an open invoice resumes its collection and is paid at once by another card', async ({
  sandbox,
  sdk,
}) => {
  const clock = await sdk.testHelpers.testClocks.create({ frozen_time: 1_800_000_000, name: 'em aberto' })
  const shop = await createShop(sdk, 'aberta@exemplo.com.br', clock.id)
  const done = await buy(sandbox, shop, '4000000000000341')
  const subscription = done.subscription as string
  await advance(sdk, clock.id, 1_800_000_000 + 30 * DAY + 7_200)

  const [invoice] = (await sdk.invoices.list({ subscription, status: 'open' })).data
  const id = invoice?.id as string
  const secret = await sdk.invoices.retrieve(id, { expand: ['confirmation_secret', 'payments'] })
  await sdk.invoices.update(id, { auto_advance: false })
  const resumed = await sdk.invoices.update(id, { auto_advance: true })
  const card = await sdk.paymentMethods.attach('pm_card_visa', { customer: shop.customer.id })
  await sdk.customers.update(shop.customer.id, { invoice_settings: { default_payment_method: card.id } })
  const paid = await sdk.invoices.pay(id, { payment_method: card.id, off_session: true })

  expect(secret.confirmation_secret?.client_secret).toMatch(/^pi_.*_secret_/)
  expect(resumed.auto_advance).toBe(true)
  expect(paid).toMatchObject({ status: 'paid', amount_paid: 21_790 })
  expect((await sdk.subscriptions.retrieve(subscription)).status).toBe('active')
  await expect(sdk.invoices.pay(id, { payment_method: card.id })).rejects.toMatchObject({ statusCode: 400 })
})

test('a rehearsal creates subscriptions without a checkout, by card and boleto, under a test clock', async ({
  sdk,
}) => {
  const clock = await sdk.testHelpers.testClocks.create({ frozen_time: 1_800_000_000, name: 'ensaio' })
  const shop = await createShop(sdk, 'ensaio@exemplo.com.br', clock.id)
  const customer = shop.customer.id
  const coupon = await sdk.coupons.create({
    name: 'Ensaio',
    duration: 'once',
    percent_off: 15,
    metadata: { ensaio: 'r1' },
  })
  const card = await sdk.paymentMethods.attach('pm_card_visa', { customer })
  const boleto = await sdk.paymentMethods.create({
    type: 'boleto',
    boleto: { tax_id: '000.000.000-00' },
    billing_details: {
      name: 'Ensaio',
      email: 'ensaio@exemplo.com.br',
      address: {
        line1: 'Avenida Paulista, 1000',
        city: 'São Paulo',
        state: 'SP',
        postal_code: '01310-100',
        country: 'BR',
      },
    },
  })
  await sdk.paymentMethods.attach(boleto.id, { customer })
  const items = [{ price: shop.price.id }]
  const byCard = await sdk.subscriptions.create({
    customer,
    items,
    default_payment_method: card.id,
    collection_method: 'charge_automatically',
    payment_behavior: 'error_if_incomplete',
    off_session: true,
    payment_settings: { payment_method_types: ['card'] },
    discounts: [{ coupon: coupon.id }],
    metadata: { ensaio: 'r1' },
  })
  const byBoleto = await sdk.subscriptions.create({
    customer,
    items,
    default_payment_method: boleto.id,
    collection_method: 'charge_automatically',
    payment_behavior: 'default_incomplete',
    off_session: true,
    payment_settings: { payment_method_types: ['boleto'] },
    metadata: { ensaio: 'r1' },
  })
  const trial = await sdk.subscriptions.create({
    customer,
    items,
    default_payment_method: card.id,
    collection_method: 'charge_automatically',
    payment_behavior: 'error_if_incomplete',
    off_session: true,
    payment_settings: { payment_method_types: ['card'] },
    trial_end: 1_800_000_000 + 7 * DAY,
  })
  const discounted = await sdk.subscriptions.update(trial.id, { discounts: [{ coupon: coupon.id }] })
  const ofClock = await sdk.customers.list({ test_clock: clock.id })
  const prices = await sdk.prices.list({ product: shop.product.id, active: true })
  const coupons = await sdk.coupons.list({ limit: 100 })
  const [payment] = (await sdk.invoicePayments.list({ invoice: byCard.latest_invoice as string })).data
  const [charge] = (await sdk.charges.list({ payment_intent: payment?.payment.payment_intent as string }))
    .data
  const part = await sdk.refunds.create({ charge: charge?.id as string, amount: 1_000 })
  const events = await sdk.events.list({
    created: { gte: byCard.created - 400 * DAY },
    types: ['customer.subscription.created'],
  })

  expect([byCard.status, byBoleto.status, trial.status]).toEqual(['active', 'incomplete', 'trialing'])
  expect(discounted.discounts).toHaveLength(1)
  expect(ofClock.data.map((one) => one.id)).toEqual([customer])
  expect(prices.data.map((one) => one.id)).toEqual([shop.price.id])
  expect(coupons.data.map((one) => one.id)).toContain(coupon.id)
  expect(part).toMatchObject({ amount: 1_000, status: 'succeeded' })
  expect(events.data.length).toBeGreaterThan(0)
})

test('a rehearsal creates, lists and expires a hosted checkout', async ({ sdk }) => {
  const shop = await createShop(sdk)
  const customer = shop.customer.id
  const hosted = await sdk.checkout.sessions.create({
    mode: 'subscription',
    ui_mode: 'hosted_page',
    success_url: 'https://example.com/',
    locale: 'pt-BR',
    customer,
    line_items: [{ price: shop.price.id, quantity: 1 }],
    allowed_payment_method_types: ['card'],
    metadata: { ensaio: 'r1' },
    subscription_data: { metadata: { ensaio: 'r1' } },
  })
  const listed = await sdk.checkout.sessions.list({ customer, status: 'open' })
  const closed = await sdk.checkout.sessions.expire(hosted.id)

  expect(listed.data.map((one) => one.id)).toEqual([hosted.id])
  expect(closed.status).toBe('expired')
})
