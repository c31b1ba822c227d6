/**
 * Actions of an operator in the provider's dashboard, by its Node SDK: free days, pauses, payments
 * elsewhere, previews.
 */
import { expect, type Stripe, test } from './sandbox'
import { advance, createShop, type Shop } from './shop'

const DAY = 86_400
const FROZEN = 1_800_000_000

interface Subscriber {
  shop: Shop
  clock: string
  subscription: Stripe.Subscription
}

/** A subscription of R$ 217,90 each 30 days under a test clock, paid by a card. */
async function createSubscriber(sdk: Stripe, card = 'pm_card_visa'): Promise<Subscriber> {
  const { id: clock } = await sdk.testHelpers.testClocks.create({ frozen_time: FROZEN })
  const shop = await createShop(sdk, 'painel@exemplo.com.br', clock)
  const method = await sdk.paymentMethods.attach(card, { customer: shop.customer.id })
  const subscription = await sdk.subscriptions.create({
    customer: shop.customer.id,
    items: [{ price: shop.price.id }],
    default_payment_method: method.id,
    collection_method: 'charge_automatically',
    payment_behavior: 'error_if_incomplete',
    payment_settings: { payment_method_types: ['card'] },
    off_session: true,
  })
  return { shop, clock, subscription }
}

async function invoicesOf(sdk: Stripe, subscription: Stripe.Subscription) {
  return (await sdk.invoices.list({ subscription: subscription.id })).data
}

/** Type, code and parameter of the error of a call. */
async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => null,
    (refused: Stripe.errors.StripeError) => refused,
  )
  return [error?.rawType, error?.code, error?.param]
}

test('trial_end gives free days until an instant, and now ends them', async ({ sandbox, sdk }) => {
  const { clock, subscription } = await createSubscriber(sdk)
  const until = FROZEN + 45 * DAY

  const given = await sdk.subscriptions.update(subscription.id, {
    trial_end: until,
    proration_behavior: 'none',
  })
  await advance(sdk, clock, FROZEN + 40 * DAY)
  const during = await sdk.subscriptions.retrieve(subscription.id)
  const ended = await sdk.subscriptions.update(subscription.id, {
    trial_end: 'now',
    expand: ['latest_invoice'],
  })

  expect(given).toMatchObject({ status: 'trialing', trial_start: FROZEN, trial_end: until })
  expect(given.items.data[0]).toMatchObject({ current_period_start: FROZEN, current_period_end: until })
  expect(during.status).toBe('trialing')
  expect(ended).toMatchObject({ status: 'active', trial_end: FROZEN + 40 * DAY })
  expect(ended.latest_invoice).toMatchObject({ status: 'paid', total: 21_790, amount_paid: 21_790 })
  expect((await invoicesOf(sdk, subscription)).map((one) => one.total)).toEqual([21_790, 0, 21_790])
  await sandbox.receiver.waitForDelivery(({ event }) => {
    const changed = event.data.object as { id?: string; status?: string }
    return (
      event.type === 'customer.subscription.updated' &&
      changed.id === subscription.id &&
      changed.status === 'trialing'
    )
  }, 'the event of the free days')
})

test('pause_collection withholds invoices by its behavior until a day or a call resumes', async ({ sdk }) => {
  const statuses: [Stripe.SubscriptionUpdateParams.PauseCollection.Behavior, string][] = [
    ['void', 'void'],
    ['keep_as_draft', 'draft'],
    ['mark_uncollectible', 'uncollectible'],
  ]
  for (const [behavior, status] of statuses) {
    const { clock, subscription } = await createSubscriber(sdk)
    const paused = await sdk.subscriptions.update(subscription.id, {
      pause_collection: { behavior, resumes_at: FROZEN + 32 * DAY },
    })
    await advance(sdk, clock, FROZEN + 31 * DAY)
    const [withheld] = await invoicesOf(sdk, subscription)
    await advance(sdk, clock, FROZEN + 33 * DAY)
    const resumed = await sdk.subscriptions.retrieve(subscription.id)

    expect(paused.pause_collection).toEqual({ behavior, resumes_at: FROZEN + 32 * DAY })
    expect(withheld).toMatchObject({ status, auto_advance: false, amount_paid: 0 })
    expect(resumed).toMatchObject({ status: 'active', pause_collection: null })
  }
  const { subscription } = await createSubscriber(sdk)
  await sdk.subscriptions.update(subscription.id, { pause_collection: { behavior: 'void' } })
  const resumed = await sdk.subscriptions.update(subscription.id, { pause_collection: '' })
  expect(resumed.pause_collection).toBeNull()
})

test('paid_out_of_band pays an open invoice without a charge', async ({ sdk }) => {
  const { clock, subscription } = await createSubscriber(sdk, 'pm_card_visa')
  const fails = await sdk.paymentMethods.attach('pm_card_chargeCustomerFail', {
    customer: subscription.customer as string,
  })
  await sdk.subscriptions.update(subscription.id, { default_payment_method: fails.id })
  await advance(sdk, clock, FROZEN + 30 * DAY + 3_600)
  const [open] = await invoicesOf(sdk, subscription)

  const paid = await sdk.invoices.pay(open?.id as string, { paid_out_of_band: true })

  expect(open).toMatchObject({ status: 'open', attempt_count: 1 })
  expect(paid).toMatchObject({ status: 'paid', amount_remaining: 0, amount_paid_off_stripe: 21_790 })
  expect((await sdk.subscriptions.retrieve(subscription.id)).status).toBe('active')
  const charges = await sdk.charges.list({ customer: subscription.customer as string })
  expect(charges.data.filter((charge) => charge.paid).length).toBe(1)
})

test('a preview shows the next invoice, and a change without prorations creates none', async ({ sdk }) => {
  const { shop, subscription } = await createSubscriber(sdk)
  const customer = shop.customer.id
  const dearer = await sdk.prices.create({
    currency: 'brl',
    product: shop.product.id,
    unit_amount: 40_790,
    recurring: { interval: 'day', interval_count: 30 },
  })
  const item = subscription.items.data[0]?.id as string

  const next = await sdk.invoices.createPreview({ customer })
  const shown = await sdk.invoices.createPreview({
    customer,
    subscription: subscription.id,
    subscription_details: { items: [{ id: item, price: dearer.id }], proration_behavior: 'none' },
  })
  const changed = await sdk.subscriptions.update(subscription.id, {
    items: [{ id: item, price: dearer.id }],
    proration_behavior: 'none',
  })
  await sdk.subscriptions.update(subscription.id, { cancel_at_period_end: true })

  expect([next.total, shown.total]).toEqual([21_790, 40_790])
  expect(changed.items.data[0]?.price.id).toBe(dearer.id)
  expect((await invoicesOf(sdk, subscription)).length).toBe(1)
  const none = await refusal(sdk.invoices.createPreview({ customer }))
  expect(none).toEqual(['invalid_request_error', 'invoice_upcoming_none', undefined])
})

test('a parameter of the provider is never ignored', async ({ sdk }) => {
  const { shop, subscription } = await createSubscriber(sdk)
  const customer = shop.customer.id
  const preview = (params: object) => refusal(sdk.invoices.createPreview({ customer, ...params }))
  const update = (params: object) => refusal(sdk.subscriptions.update(subscription.id, params))

  const own = (param: string) => ['sandbox_error', 'parameter_not_played', param]
  expect(await preview({ schedule: 'sub_sched_1' })).toEqual(own('schedule'))
  expect(await update({ description: 'a' })).toEqual(own('description'))
  expect(await update({ metadata: { a: '1' }, proration_behavior: 'none' })).toEqual(
    own('proration_behavior'),
  )
  expect(await update({ preco: 1 })).toEqual(['invalid_request_error', 'parameter_unknown', 'preco'])
  const invoiced = refusal(
    sdk.subscriptions.create({
      customer,
      items: [{ price: shop.price.id }],
      default_payment_method: subscription.default_payment_method as string,
      payment_behavior: 'error_if_incomplete',
      collection_method: 'send_invoice',
    }),
  )
  expect(await invoiced).toEqual(own('collection_method'))
})
