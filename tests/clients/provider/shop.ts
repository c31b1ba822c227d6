/** What the tests buy, made with the parameters that Garimpo's adapter sends. */
import { expect, type Sandbox, type Stripe, until } from './sandbox'

let made = 0

export interface Shop {
  product: Stripe.Product
  price: Stripe.Price
  coupon: Stripe.Coupon
  customer: Stripe.Customer
}

/** A product of R$ 217,90 each 30 days, a coupon of 10% for its first invoice, and who buys it. */
export async function open(sdk: Stripe, email = 'ana@exemplo.com.br', testClock?: string): Promise<Shop> {
  const n = ++made
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
export function session(sdk: Stripe, shop: Shop, more: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
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
    ...more,
  })
}

/** Buys with a card; answers the session as it is afterwards. */
export async function buy(sandbox: Sandbox, shop: Shop, card = '4242424242424242') {
  const made = await session(sandbox.sdk, shop)
  expect((await sandbox.act(`/_test/checkout/${made.id}`, { card })).status).toBe(200)
  return sandbox.sdk.checkout.sessions.retrieve(made.id)
}

/** Issues a boleto; answers the session and what the payer sees of the voucher. */
export async function issue(
  sandbox: Sandbox,
  shop: Shop,
  more: Partial<Stripe.Checkout.SessionCreateParams> = {},
) {
  const made = await session(sandbox.sdk, shop, more)
  const issued = await sandbox.act(`/_test/checkout/${made.id}`, { boleto: { tax_id: '529.982.247-25' } })
  expect(issued.status).toBe(200)
  return sandbox.sdk.checkout.sessions.retrieve(made.id)
}

/** The payment intent that a session's first invoice waits for or was paid by. */
export async function intentOf(sdk: Stripe, session: Stripe.Checkout.Session) {
  const payments = await sdk.invoicePayments.list({ invoice: session.invoice as string })
  const intent = payments.data[0]?.payment.payment_intent as string
  return sdk.paymentIntents.retrieve(intent, { expand: ['payment_method'] })
}

/** Waits until a test clock has arrived. */
export async function ready(sdk: Stripe, clock: string) {
  await until(
    async () => (await sdk.testHelpers.testClocks.retrieve(clock)).status === 'ready',
    'the test clock is ready',
  )
  return sdk.testHelpers.testClocks.retrieve(clock)
}

/** Advances a test clock to an instant and waits until it has arrived. */
export async function advance(sdk: Stripe, clock: string, frozenTime: number) {
  await sdk.testHelpers.testClocks.advance(clock, { frozen_time: frozenTime })
  return ready(sdk, clock)
}
