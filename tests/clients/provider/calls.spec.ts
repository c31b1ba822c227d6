/**
 * All calls of Garimpo's adapter, made by the provider's SDK. `contract.spec.ts` fails if one is
 * missing.
 */
import { expect, type Stripe, test } from './sandbox'
import { buy, createSession, createShop, intentOf, issueBoleto } from './shop'

test('products, prices by lookup key, coupons and promotion codes are created, changed and read', async ({
  sdk,
}) => {
  const { product, price, coupon } = await createShop(sdk)

  const found = await sdk.prices.list({
    lookup_keys: [price.lookup_key as string],
    active: true,
    expand: ['data.product'],
  })
  const renamed = await sdk.products.update(product.id, { name: 'Elite Nível 3', active: true })
  const read = await sdk.products.retrieve(product.id)
  const archived = await sdk.prices.update(price.id, { active: false })
  const readPrice = await sdk.prices.retrieve(price.id)
  const kept = await sdk.coupons.retrieve(coupon.id)
  await sdk.coupons.update(coupon.id, { name: 'NOVO', metadata: { de: 'casa' } })
  const amount = await sdk.coupons.create({
    id: `${coupon.id}_reais`,
    duration: 'once',
    amount_off: 1_000,
    currency: 'brl',
  })
  const code = await sdk.promotionCodes.create({
    promotion: { type: 'coupon', coupon: coupon.id },
    code: 'VEMCOMIGO',
  })
  const codes = await sdk.promotionCodes.list({ code: 'VEMCOMIGO', active: true })
  const gone = await sdk.coupons.del(amount.id)

  expect(found.data.map((one) => one.id)).toEqual([price.id])
  expect(found.data[0]?.product).toMatchObject({ id: product.id, name: 'Elite Nível 2' })
  expect([renamed.name, read.name]).toEqual(['Elite Nível 3', 'Elite Nível 3'])
  expect([archived.active, readPrice.active]).toEqual([false, false])
  expect(kept).toMatchObject({ percent_off: 10, duration: 'once', valid: true })
  expect(codes.data.map((one) => one.id)).toEqual([code.id])
  expect(gone).toMatchObject({ id: amount.id, deleted: true })
  await expect(sdk.coupons.retrieve(amount.id)).rejects.toMatchObject({
    statusCode: 404,
    code: 'resource_missing',
  })
})

test('a purchase by card goes from its session to refund and cancellation', async ({ sandbox, sdk }) => {
  const shop = await createShop(sdk)
  const done = await buy(sandbox, shop)
  const customer = shop.customer.id

  const whole = await sdk.checkout.sessions.retrieve(done.id, {
    expand: ['line_items', 'subscription', 'invoice.payments'],
  })
  const subscriptions = await sdk.subscriptions.list({
    customer,
    status: 'all',
    limit: 100,
    expand: [
      'data.default_payment_method',
      'data.customer.invoice_settings.default_payment_method',
      'data.latest_invoice.payments',
    ],
  })
  const payments = await sdk.paymentIntents.list({
    customer,
    limit: 100,
    expand: ['data.payment_method', 'data.latest_charge'],
  })
  const invoices = await sdk.invoices.list({ customer, limit: 100, expand: ['data.payments'] })
  const intent = await intentOf(sdk, done)
  const portal = await sdk.billingPortal.sessions.create({
    customer,
    return_url: 'http://127.0.0.1:8080/area-usuario',
    locale: 'pt-BR',
  })
  const refund = await sdk.refunds.create({ payment_intent: intent.id, reason: 'requested_by_customer' })
  const refunds = await sdk.refunds.list({ payment_intent: intent.id })
  const sameRefund = await sdk.refunds.retrieve(refund.id)
  const charge = await sdk.charges.retrieve(intent.latest_charge as string)
  const charges = await sdk.charges.list({ customer })
  const disputes = await sdk.disputes.list({ charge: charge.id })
  const ended = await sdk.subscriptions.cancel(done.subscription as string)
  const later = await createSession(sdk, shop, {
    subscription_data: { metadata: { uid: 'u1' }, trial_end: ended.created + 60 * 86_400 },
  })

  expect(done).toMatchObject({
    status: 'complete',
    payment_status: 'paid',
    amount_subtotal: 21_790,
    amount_total: 19_611,
  })
  expect(whole.line_items?.data[0]?.price?.id).toBe(shop.price.id)
  expect(whole.subscription).toMatchObject({ status: 'active', metadata: { uid: 'u1' } })
  expect(subscriptions.data.map((one) => one.id)).toEqual([done.subscription])
  expect(subscriptions.data[0]?.latest_invoice).toMatchObject({ payments: { data: [{ status: 'paid' }] } })
  expect(payments.data).toMatchObject([
    { id: intent.id, payment_method: { type: 'card' }, latest_charge: { paid: true, status: 'succeeded' } },
  ])
  expect(invoices.data[0]).toMatchObject({ status: 'paid', total: 19_611, amount_paid: 19_611 })
  expect(invoices.data[0]?.payments?.data[0]).toMatchObject({ status: 'paid', amount_paid: 19_611 })
  expect(intent).toMatchObject({
    status: 'succeeded',
    amount: 19_611,
    payment_method: { type: 'card', card: { last4: '4242' } },
  })
  expect((await fetch(portal.url)).status).toBe(200)
  expect(refund).toMatchObject({ status: 'succeeded', amount: 19_611, payment_intent: intent.id })
  expect([refunds.data.map((one) => one.id), sameRefund.id]).toEqual([[refund.id], refund.id])
  expect(charge).toMatchObject({ refunded: true, amount_refunded: 19_611 })
  expect([charges.data.map((one) => one.id), disputes.data]).toEqual([[charge.id], []])
  expect(later).toMatchObject({ status: 'open' })
  expect(ended).toMatchObject({ status: 'canceled' })
  await expect(sdk.refunds.create({ payment_intent: intent.id })).rejects.toMatchObject({
    code: 'charge_already_refunded',
  })
  await expect(sdk.subscriptions.cancel(ended.id)).rejects.toMatchObject({ statusCode: 404 })
})

test('a boleto is issued, awaited and paid', async ({ sandbox, sdk }) => {
  const shop = await createShop(sdk)
  const waiting = await issueBoleto(sandbox, shop)
  const intent = await intentOf(sdk, waiting)

  const paid = await sandbox.callSandbox(`/_test/boletos/${waiting.id}/pay`)
  const settled = await sdk.checkout.sessions.retrieve(waiting.id, { expand: ['subscription', 'invoice'] })

  expect(waiting).toMatchObject({ status: 'complete', payment_status: 'unpaid' })
  expect(intent).toMatchObject({ status: 'requires_action', next_action: { type: 'boleto_display_details' } })
  expect(paid.status).toBe(200)
  expect(settled).toMatchObject({
    payment_status: 'paid',
    subscription: { status: 'active' },
    invoice: { status: 'paid' },
  })
  await expect(sdk.refunds.create({ payment_intent: intent.id })).rejects.toMatchObject({ statusCode: 400 })
})

test('a session expires and an invoice is voided only once, and a deleted customer is marked so', async ({
  sandbox,
  sdk,
}) => {
  const shop = await createShop(sdk)
  const unused = await createSession(sdk, shop)
  const waiting = await issueBoleto(sandbox, shop)

  const closed = await sdk.checkout.sessions.expire(unused.id)
  const voided = await sdk.invoices.voidInvoice(waiting.invoice as string)
  const before = await sdk.customers.retrieve(shop.customer.id)
  const deleted = await sdk.customers.del(shop.customer.id)
  const after = await sdk.customers.retrieve(shop.customer.id)

  expect(closed).toMatchObject({ status: 'expired', client_secret: null })
  expect(voided).toMatchObject({ status: 'void', amount_remaining: 0 })
  expect(before).toMatchObject({ email: 'ana@exemplo.com.br' })
  expect([deleted.deleted, after.deleted]).toEqual([true, true])
  await expect(sdk.checkout.sessions.expire(unused.id)).rejects.toMatchObject({
    statusCode: 400,
    type: 'StripeInvalidRequestError',
  })
  await expect(sdk.invoices.voidInvoice(voided.id as string)).rejects.toMatchObject({ statusCode: 400 })
})

test('an amount too small for a boleto leaves the invoice by credit notes and moves to the balance', async ({
  sandbox,
  sdk,
}) => {
  const shop = await createShop(sdk)
  const waiting = await issueBoleto(sandbox, shop)
  const customer = shop.customer.id
  const id = waiting.invoice as string
  const { amount_remaining: whole } = await sdk.invoices.retrieve(id)

  const part = await sdk.creditNotes.create({
    invoice: id,
    amount: whole - 320,
    memo: 'Quase tudo',
    email_type: 'none',
  })
  const less = await sdk.invoices.retrieve(id)
  const rest = await sdk.creditNotes.create({
    invoice: id,
    amount: 320,
    memo: 'Fica para a próxima',
    email_type: 'none',
  })
  const paid = await sdk.invoices.retrieve(id)
  const kept = await sdk.customers.createBalanceTransaction(customer, {
    amount: 320,
    currency: 'brl',
    description: 'Resto da fatura anterior',
    metadata: { cause: `carried:${id}` },
  })
  const all = await sdk.customers.listBalanceTransactions(customer)
  const read = await sdk.customers.retrieve(customer)

  expect([part.type, part.pre_payment_amount, rest.status]).toEqual(['pre_payment', whole - 320, 'issued'])
  expect(less).toMatchObject({ status: 'open', amount_due: 320, amount_remaining: 320 })
  expect(paid).toMatchObject({
    status: 'paid',
    amount_due: 0,
    amount_paid: 0,
    pre_payment_credit_notes_amount: whole,
  })
  expect(kept).toMatchObject({ type: 'adjustment', amount: 320, ending_balance: 320 })
  expect(all.data.map((one) => one.id)).toEqual([kept.id])
  expect(read).toMatchObject({ balance: 320 })
  await expect(sdk.creditNotes.create({ invoice: id, amount: 1 })).rejects.toMatchObject({ statusCode: 400 })
})

test('stored cards are attached, listed, used for a subscription and detached', async ({ sandbox, sdk }) => {
  const shop = await createShop(sdk)
  const done = await buy(sandbox, shop)
  const customer = shop.customer.id

  const card = await sdk.paymentMethods.attach('pm_card_visa', { customer })
  const own = await sdk.customers.listPaymentMethods(customer, { type: 'card' })
  const all = await sdk.paymentMethods.list({ customer, type: 'card' })
  const changed = await sdk.subscriptions.update(done.subscription as string, {
    default_payment_method: card.id,
  })
  const leaving = await sdk.subscriptions.update(done.subscription as string, {
    cancel_at_period_end: true,
    cancellation_details: { feedback: 'too_expensive', comment: 'caro' },
  })
  const staying = await sdk.subscriptions.update(done.subscription as string, { cancel_at_period_end: false })
  const stillThere = await sdk.subscriptions.update(done.subscription as string, { cancel_at: '' })
  const first = all.data.find((one) => one.id !== card.id)
  const loose = await sdk.paymentMethods.detach(first?.id as string)

  expect(own.data).toHaveLength(2)
  expect(all.data).toEqual(own.data)
  expect(changed.default_payment_method).toBe(card.id)
  expect(leaving).toMatchObject({
    cancel_at_period_end: true,
    cancellation_details: { feedback: 'too_expensive' },
  })
  expect(staying).toMatchObject({ cancel_at_period_end: false, cancel_at: null })
  expect(stillThere).toMatchObject({ cancel_at: null, status: 'active' })
  expect(loose.customer).toBeNull()
  await expect(sdk.paymentMethods.detach(loose.id)).rejects.toMatchObject({ statusCode: 400 })
})

test('a plan change charges what its preview shows', async ({ sandbox, sdk }) => {
  const shop = await createShop(sdk)
  const better = await createShop(sdk)
  const done = await buy(sandbox, shop)
  const id = done.subscription as string
  const expand = [
    'default_payment_method',
    'customer.invoice_settings.default_payment_method',
    'latest_invoice',
  ]
  const before = await sdk.subscriptions.retrieve(id, { expand })
  const item = before.items.data[0] as Stripe.SubscriptionItem
  const price = await sdk.prices.create({
    currency: 'brl',
    product: better.product.id,
    unit_amount: 43_580,
    recurring: { interval: 'day', interval_count: 30 },
  })
  const items = [{ id: item.id, price: price.id }]
  const proration_date = item.current_period_start + 10 * 86_400
  await sandbox.callSandbox('/clock', { advance_seconds: 10 * 86_400 })

  const preview = await sdk.invoices.createPreview({
    subscription: id,
    subscription_details: { items, proration_date, proration_behavior: 'always_invoice' },
  })
  const after = await sdk.subscriptions.update(id, {
    items,
    proration_date,
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
    expand,
  })
  const resumed = await sdk.subscriptions.update(id, { cancel_at_period_end: false })
  const invoice = after.latest_invoice as Stripe.Invoice

  expect([after.pending_update, resumed.cancel_at_period_end]).toEqual([null, false])

  expect(preview).toMatchObject({ object: 'invoice', currency: 'brl' })
  expect(preview.lines.data.map((line) => line.amount > 0)).toEqual([false, true])
  expect(preview.lines.data.reduce((sum, line) => sum + line.amount, 0)).toBe(preview.total)
  expect(invoice).toMatchObject({
    status: 'paid',
    billing_reason: 'subscription_update',
    total: preview.total,
  })
  expect(after.items.data[0]).toMatchObject({
    id: item.id,
    price: { id: price.id },
    current_period_end: item.current_period_end,
  })
})

test('a customer and its subscription get the account that adopted them', async ({ sandbox, sdk }) => {
  const shop = await createShop(sdk)
  const done = await buy(sandbox, shop)
  const metadata = { uid: 'usr_adotante' }

  const customer = await sdk.customers.update(shop.customer.id, { metadata })
  const subscription = await sdk.subscriptions.update(done.subscription as string, { metadata })

  expect([customer.metadata.uid, subscription.metadata.uid]).toEqual(['usr_adotante', 'usr_adotante'])
})

test('a customer gets another email', async ({ sdk }) => {
  const shop = await createShop(sdk)

  const customer = await sdk.customers.update(shop.customer.id, { email: 'ana@exemplo.com.br' })

  expect(customer.email).toBe('ana@exemplo.com.br')
})

test('the credit of a customer pays a part of the next invoice', async ({ sandbox, sdk }) => {
  const shop = await createShop(sdk)
  await sdk.customers.update(shop.customer.id, { balance: -10_000 })
  const done = await buy(sandbox, shop)
  const invoice = await sdk.invoices.retrieve(done.invoice as string)
  const customer = (await sdk.customers.retrieve(shop.customer.id)) as Stripe.Customer
  const receipt = await (await fetch(invoice.hosted_invoice_url as string)).text()

  expect(invoice).toMatchObject({
    total: 19_611,
    amount_due: 9_611,
    amount_paid: 9_611,
    starting_balance: -10_000,
    ending_balance: 0,
  })
  expect(customer.balance).toBe(0)
  for (const text of ['Crédito usado', '-R$ 100,00', 'R$ 96,11']) expect(receipt).toContain(text)
})
