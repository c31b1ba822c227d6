/**
 * Features of the SDK beside its calls: errors, paging, idempotency keys, expansion, events and
 * test clocks.
 */
import { expect, Stripe, test, waitUntil } from './sandbox'
import { advance, buy, createShop, intentOf, waitForClock } from './shop'

test('errors arrive as the classes of the SDK, with code, parameter and the address of the call', async ({
  sandbox,
  sdk,
}) => {
  const missing = await sdk.customers.retrieve('cus_nada').catch((error) => error)
  const page = await fetch(missing.raw.request_log_url)

  expect(missing).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
  expect(missing).toMatchObject({
    statusCode: 404,
    code: 'resource_missing',
    param: 'id',
    message: "No such customer: 'cus_nada'",
  })
  expect(missing.doc_url).toContain('resource-missing')
  expect(missing.requestId).toMatch(/^req_/)
  expect(await page.text()).toContain(missing.requestId)
  await expect(sdk.customers.create({ email: 'sem-arroba' })).rejects.toMatchObject({
    code: 'email_invalid',
    param: 'email',
  })
  await expect(
    sdk.prices.create({ currency: 'brl', unit_amount: 1, product_data: {} as never }),
  ).rejects.toMatchObject({
    code: 'parameter_missing',
    param: 'product_data[name]',
  })
  const odd = { name: 'Elite', product_data: { nome: 'x' } } as never
  await expect(sdk.products.create(odd)).rejects.toMatchObject({
    code: 'parameter_unknown',
    param: 'product_data',
  })
  const inside = {
    currency: 'brl',
    unit_amount: 1,
    product: 'p',
    recurring: { interval: 'day', intervalo: 2 },
  } as never
  await expect(sdk.prices.create(inside)).rejects.toMatchObject({
    code: 'parameter_unknown',
    param: 'recurring[intervalo]',
  })
  await expect(sandbox.client('sk_test_outra').customers.list()).rejects.toBeInstanceOf(
    Stripe.errors.StripeAuthenticationError,
  )
})

test('a declined card is a card error with its reason', async ({ sandbox, sdk }) => {
  const clock = await sdk.testHelpers.testClocks.create({
    frozen_time: Math.floor(Date.now() / 1000),
    name: 'recusa',
  })
  const shop = await createShop(sdk, 'bia@exemplo.com.br', clock.id)
  const done = await buy(sandbox, shop, '4000000000000341')

  await advance(sdk, clock.id, clock.frozen_time + 31 * 86_400)
  const late = await sdk.subscriptions.retrieve(done.subscription as string, { expand: ['latest_invoice'] })
  const invoice = late.latest_invoice as Stripe.Invoice
  const declined = await sdk.invoices.pay(invoice.id as string).catch((error) => error)

  expect(late.status).toBe('past_due')
  expect(invoice).toMatchObject({ status: 'open', billing_reason: 'subscription_cycle', attempted: true })
  expect(declined).toBeInstanceOf(Stripe.errors.StripeCardError)
  expect(declined).toMatchObject({ statusCode: 402, code: 'card_declined', decline_code: 'generic_decline' })
})

test('lists are paged automatically, forwards and backwards, within their limits', async ({ sdk }) => {
  const made: string[] = []
  for (let n = 0; n < 23; n++)
    made.unshift(
      (await sdk.customers.create({ email: 'pagina@exemplo.com.br', metadata: { turma: 'b' } })).id,
    )
  const email = 'pagina@exemplo.com.br'
  const all = await sdk.customers.list({ email, limit: 10 }).autoPagingToArray({ limit: 100 })
  const backwards: string[] = []
  for await (const one of sdk.customers.list({ email, limit: 5, ending_before: made[22] as string }))
    backwards.push(one.id)
  const found: string[] = []
  for await (const one of sdk.customers.search({ query: "metadata['turma']:'b'", limit: 10 }))
    found.push(one.id)
  const first = await sdk.customers.list({ email, limit: 3 })
  const next = await sdk.customers.list({ email, limit: 3, starting_after: made[2] as string })
  const now = first.data[0]?.created as number

  expect(all.map((one) => one.id)).toEqual(made)
  expect(backwards).toEqual(made.slice(0, 22).reverse())
  expect(found).toEqual(made)
  expect([first.has_more, first.data.length, next.data[0]?.id]).toEqual([true, 3, made[3]])
  expect((await sdk.customers.list({ email, created: { gt: now + 60 } })).data).toEqual([])
  expect((await sdk.customers.list({ email, created: now, limit: 100 })).data.length).toBeGreaterThan(0)
  for (const limit of [0, 101])
    await expect(sdk.customers.list({ limit })).rejects.toMatchObject({ param: 'limit' })
  await expect(sdk.customers.list({ starting_after: 'cus_nada' })).rejects.toMatchObject({
    param: 'starting_after',
    statusCode: 400,
  })
  const both = { starting_after: made[0] as string, ending_before: made[1] as string }
  await expect(sdk.customers.list(both)).rejects.toMatchObject({ statusCode: 400 })
  await expect(sdk.customers.list({ cor: 'azul' } as never)).rejects.toMatchObject({
    code: 'parameter_unknown',
    param: 'cor',
  })
})

/** With a fetch client the SDK returns the response headers unchanged. */
const readReplayedHeader = (one: { lastResponse: { headers: unknown } }) =>
  (one.lastResponse.headers as Headers).get('idempotent-replayed')

test('an idempotency key returns the same response, refuses another request and keeps a failure', async ({
  sandbox,
}) => {
  const sdk = sandbox.client('sk_test_garimpo', { maxNetworkRetries: 0 })
  const email = 'chave@exemplo.com.br'
  const first = await sdk.customers.create({ email }, { idempotencyKey: 'k1' })
  const again = await sdk.customers.create({ email }, { idempotencyKey: 'k1' })
  const other = await sdk.customers
    .create({ email: 'outra@exemplo.com.br' }, { idempotencyKey: 'k1' })
    .catch((error) => error)
  const elsewhere = await sdk.products.create({ name: 'x' }, { idempotencyKey: 'k1' }).catch((error) => error)

  expect(again.id).toBe(first.id)
  expect([first, again].map(readReplayedHeader)).toEqual([null, 'true'])
  for (const wrong of [other, elsewhere]) expect(wrong).toBeInstanceOf(Stripe.errors.StripeIdempotencyError)

  // A failure after the start of a call is stored under its key for a day.
  await sandbox.callSandbox('/_test/faults', {
    path: '/v1/customers',
    method: 'POST',
    status: 500,
    kept: true,
    times: 1,
  })
  const failed = await sdk.customers.create({ email }, { idempotencyKey: 'k2' }).catch((error) => error)
  const kept = await sdk.customers.create({ email }, { idempotencyKey: 'k2' }).catch((error) => error)
  expect([failed.statusCode, kept.statusCode, kept.headers['idempotent-replayed']]).toEqual([
    500,
    500,
    'true',
  ])

  // The SDK retries a call that did not start, under the same key.
  await sandbox.callSandbox('/_test/faults', { path: '/v1/customers', method: 'POST', status: 503, times: 1 })
  const patient = sandbox.client('sk_test_garimpo', { maxNetworkRetries: 2 })
  await patient.customers.create({ email: 'paciente@exemplo.com.br' })
  expect((await sdk.customers.list({ email: 'paciente@exemplo.com.br' })).data).toHaveLength(1)
})

test('an idempotency key in use returns 409', async ({ sandbox }) => {
  const sdk = sandbox.client('sk_test_garimpo', { maxNetworkRetries: 0 })
  // Calls at the same moment: the first one holds the key until its answer is stored.
  let refused: unknown
  let made: Stripe.Customer | undefined
  let idempotencyKey = ''
  await waitUntil(async () => {
    idempotencyKey = `ao-mesmo-tempo-${Date.now()}`
    const create = () => sdk.customers.create({ email: 'espera@exemplo.com.br' }, { idempotencyKey })
    const all = await Promise.allSettled(Array.from({ length: 8 }, create))
    refused = all.find((one) => one.status === 'rejected')?.reason
    made = all.find((one) => one.status === 'fulfilled')?.value
    return refused !== undefined && made !== undefined
  }, 'two calls with one key at once')

  expect(refused).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' })
  const again = await sdk.customers.create({ email: 'espera@exemplo.com.br' }, { idempotencyKey })
  expect(again.id).toBe(made?.id)
  expect(readReplayedHeader(again)).toBe('true')
})

test('fields expand up to four levels, and others are refused', async ({ sandbox, sdk }) => {
  const shop = await createShop(sdk)
  const done = await buy(sandbox, shop)
  const customer = shop.customer.id

  const listed = await sdk.invoices.list({
    customer,
    expand: ['data.payments.data.payment', 'data.customer', 'data.discounts'],
  })
  const intent = await intentOf(sdk, done)
  const deep = await sdk.charges.retrieve(intent.latest_charge as string, {
    expand: ['payment_intent.latest_charge.customer'],
  })
  const whole = await sdk.customers.retrieve(customer, { expand: ['subscriptions.data.latest_invoice'] })
  const made = await sdk.prices.create({
    currency: 'brl',
    unit_amount: 100,
    product: shop.product.id,
    expand: ['product'],
  })

  expect(listed.data[0]?.customer).toMatchObject({ id: customer, object: 'customer' })
  expect(listed.data[0]?.discounts[0]).toMatchObject({
    object: 'discount',
    source: { coupon: shop.coupon.id },
  })
  expect(deep.payment_intent).toMatchObject({ latest_charge: { customer: { id: customer } } })
  expect(whole).toMatchObject({ subscriptions: { data: [{ latest_invoice: { id: done.invoice } }] } })
  expect(made.product).toMatchObject({ name: 'Elite Nível 2' })
  const five = ['data.payments.data.payment.payment_intent']
  await expect(sdk.invoices.list({ customer, expand: five })).rejects.toMatchObject({
    message: /more than 4 levels/,
  })
  await expect(sdk.invoices.list({ customer, expand: ['customer'] })).rejects.toMatchObject({
    message: /'data\.customer' instead/,
  })
  await expect(sdk.customers.retrieve(customer, { expand: ['email'] })).rejects.toMatchObject({
    message: /cannot be expanded \(email\)/,
  })
  await expect(sdk.customers.retrieve(customer, { expand: ['nada'] })).rejects.toMatchObject({
    statusCode: 400,
  })
})

test('events are found by type, by group, by time and by a missing delivery', async ({ sandbox, sdk }) => {
  const shop = await createShop(sdk)
  await sdk.customers.update(shop.customer.id, { name: 'Ana Lima' })
  const {
    data: [updated],
  } = await sdk.events.list({ type: 'customer.updated', limit: 1 })
  const group = await sdk.events.list({ type: 'customer.*', limit: 2 })
  const several = await sdk.events.list({ types: ['coupon.created', 'price.created'], limit: 2 })
  const later = await sdk.events.list({ created: { gt: (updated as Stripe.Event).created + 86_400 } })
  const one = await sdk.events.retrieve((updated as Stripe.Event).id)
  const [newest, before] = (await sdk.events.list({ limit: 2 })).data
  const since = await sdk.events.list({ ending_before: before?.id as string, limit: 100 })

  expect(since.data.map((event) => event.id)).toEqual([newest?.id])
  expect(updated).toMatchObject({
    type: 'customer.updated',
    data: { previous_attributes: { name: 'Ana Souza' } },
  })
  expect(updated?.request).toMatchObject({ id: expect.stringMatching(/^req_/) })
  expect(group.data.every((event) => event.type.startsWith('customer.'))).toBe(true)
  expect(several.data.map((event) => event.type).sort()).toEqual(['coupon.created', 'price.created'])
  expect(later.data).toEqual([])
  expect(one.id).toBe(updated?.id)

  await sandbox.callSandbox('/_test/faults', { webhooks: 'drop', times: 1 })
  const lost = await sdk.products.create({ name: 'Perdido' })
  await sandbox.callSandbox('/clock', { advance_seconds: 1 })
  const undelivered = await sdk.events.list({ delivery_success: false, type: 'product.created' })
  const delivered = await sdk.events.list({ delivery_success: true, type: 'product.created' })
  const idOf = (event: Stripe.Event) => (event.data.object as Stripe.Product).id
  expect(undelivered.data.map(idOf)).toEqual([lost.id])
  expect(delivered.data.map(idOf)).not.toContain(lost.id)
})

test('test clocks advance only their own customers, by two periods at most', async ({ sandbox, sdk }) => {
  const before = await sandbox.callSandbox('/clock', undefined, 'GET')
  const clock = await sdk.testHelpers.testClocks.create({ frozen_time: 1_800_000_000, name: 'renovação' })
  const shop = await createShop(sdk, 'caio@exemplo.com.br', clock.id)
  const done = await buy(sandbox, shop)
  const period = 30 * 86_400
  const now = clock.frozen_time

  const tooFar = sdk.testHelpers.testClocks.advance(clock.id, { frozen_time: now + 2 * period + 60 })
  await expect(tooFar).rejects.toMatchObject({ param: 'frozen_time' })
  const advancing = await sdk.testHelpers.testClocks.advance(clock.id, { frozen_time: now + period })
  await waitForClock(sdk, clock.id)
  const advanced = await advance(sdk, clock.id, now + period + 3_600)
  const renewed = await sdk.invoices.list({ subscription: done.subscription as string })
  const past = sdk.testHelpers.testClocks.advance(clock.id, { frozen_time: now })
  await expect(past).rejects.toMatchObject({ param: 'frozen_time' })
  const after = await sandbox.callSandbox('/clock', undefined, 'GET')
  const clocks = await sdk.testHelpers.testClocks.list()
  const gone = await sdk.testHelpers.testClocks.del(clock.id)

  expect(advancing).toMatchObject({
    status: 'advancing',
    frozen_time: now,
    status_details: { advancing: { target_frozen_time: now + period } },
  })
  expect(advanced).toMatchObject({ status: 'ready', frozen_time: now + period + 3_600 })
  expect(renewed.data.map((one) => [one.billing_reason, one.status, one.total])).toEqual([
    ['subscription_cycle', 'paid', 21_790],
    ['subscription_create', 'paid', 19_611],
  ])
  expect(after.body.revision).toBe(before.body.revision)
  expect(clocks.data.map((one) => one.id)).toContain(clock.id)
  expect(gone).toMatchObject({ deleted: true })
})
