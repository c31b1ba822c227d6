/** Products, prices, coupons and customers of the tests, created with the adapter's parameters. */
import { expect, type Sandbox, type Stripe, waitUntil } from './sandbox'

let shopCount = 0

export interface Shop {
  product: Stripe.Product
  price: Stripe.Price
  coupon: Stripe.Coupon
  customer: Stripe.Customer
}

/** A product of R$ 217,90 each 30 days, a coupon of 10% for its first invoice, and a customer. */
export async function createShop(
  sdk: Stripe,
  email = 'ana@exemplo.com.br',
  testClock?: string,
): Promise<Shop> {
  const n = ++shopCount
  const product = await sdk.products.create({
    id: `elite_${n}`,
    name: 'Elite Nível 2',
    metadata: { plan: `elite_${n}` },
  })
  const price = await sdk.prices.create({
    currency: 'brl',
    product: product.id,
    unit_amount: 21_790,
    recurring: { interval: 'day', interval_count: 30 },
    lookup_key: `elite_${n}_30`,
    transfer_lookup_key: true,
    metadata: { days: '30' },
  })
  const coupon = await sdk.coupons.create({
    id: `novo10_${n}`,
    name: 'NOVO10',
    duration: 'once',
    percent_off: 10,
  })
  const customer = await sdk.customers.create({
    email,
    name: 'Ana Souza',
    preferred_locales: ['pt-BR'],
    metadata: { uid: `u${n}` },
    ...(testClock ? { test_clock: testClock } : {}),
  })
  return { product, price, coupon, customer }
}

/** A checkout session as the adapter opens it. */
export function createSession(
  sdk: Stripe,
  shop: Shop,
  overrides: Partial<Stripe.Checkout.SessionCreateParams> = {},
) {
  return sdk.checkout.sessions.create({
    mode: 'subscription',
    ui_mode: 'embedded_page',
    redirect_on_completion: 'if_required',
    return_url: 'http://127.0.0.1:8080/checkout-return?session_id={CHECKOUT_SESSION_ID}',
    locale: 'pt-BR',
    customer: shop.customer.id,
    line_items: [{ price: shop.price.id, quantity: 1 }],
    allowed_payment_method_types: ['card', 'boleto'],
    payment_method_options: { boleto: { expires_after_days: 3 } },
    discounts: [{ coupon: shop.coupon.id }],
    metadata: { uid: 'u1' },
    subscription_data: { metadata: { uid: 'u1' } },
    ...overrides,
  })
}

/** Buys by card and returns the completed session. */
export async function buy(sandbox: Sandbox, shop: Shop, card = '4242424242424242') {
  const made = await createSession(sandbox.sdk, shop)
  expect((await sandbox.callSandbox(`/_test/checkout/${made.id}`, { card })).status).toBe(200)
  return sandbox.sdk.checkout.sessions.retrieve(made.id)
}

/** Issues a boleto and returns the session. */
export async function issueBoleto(
  sandbox: Sandbox,
  shop: Shop,
  overrides: Partial<Stripe.Checkout.SessionCreateParams> = {},
) {
  const made = await createSession(sandbox.sdk, shop, overrides)
  const issued = await sandbox.callSandbox(`/_test/checkout/${made.id}`, {
    boleto: { tax_id: '529.982.247-25' },
  })
  expect(issued.status).toBe(200)
  return sandbox.sdk.checkout.sessions.retrieve(made.id)
}

/** The payment intent of a session's first invoice. */
export async function intentOf(sdk: Stripe, session: Stripe.Checkout.Session) {
  const payments = await sdk.invoicePayments.list({ invoice: session.invoice as string })
  const intent = payments.data[0]?.payment.payment_intent as string
  return sdk.paymentIntents.retrieve(intent, { expand: ['payment_method'] })
}

/** Waits until a test clock is ready. */
export async function waitForClock(sdk: Stripe, clock: string) {
  await waitUntil(
    async () => (await sdk.testHelpers.testClocks.retrieve(clock)).status === 'ready',
    'the test clock is ready',
  )
  return sdk.testHelpers.testClocks.retrieve(clock)
}

/** Advances a test clock to an instant and waits until it is ready. */
export async function advance(sdk: Stripe, clock: string, frozenTime: number) {
  await sdk.testHelpers.testClocks.advance(clock, { frozen_time: frozenTime })
  return waitForClock(sdk, clock)
}
