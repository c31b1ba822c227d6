/** Webhook deliveries: signatures, endpoints and retries. */
import { type Delivery, expect, OWN_SECRET, Stripe, test, waitUntil } from './sandbox'

test('the SDK accepts a valid signature and refuses a changed body, another secret and an old time', async ({
  sandbox,
  sdk,
}) => {
  const customer = await sdk.customers.create({ email: 'assina@exemplo.com.br' })
  const isIt = ({ path, event }: Delivery) =>
    path === '/proprio' && (event.data.object as Stripe.Customer).id === customer.id
  const { body, signature } = await sandbox.receiver.waitForDelivery(isIt, 'customer.created')
  const at = Number(signature.match(/^t=(\d+),/)?.[1])
  const check = (text: string, secret: string, seconds: number) =>
    Stripe.webhooks.constructEvent(text, signature, secret, 300, undefined, seconds * 1000)

  expect(check(body, OWN_SECRET, at + 299)).toMatchObject({
    type: 'customer.created',
    api_version: '2026-10-28.endive',
  })
  const refused = Stripe.errors.StripeSignatureVerificationError
  expect(() => check(body.replace('assina@', 'mexida@'), OWN_SECRET, at)).toThrow(refused)
  expect(() => check(body, 'whsec_outro', at)).toThrow(refused)
  expect(() => check(body, OWN_SECRET, at + 301)).toThrow(/tolerance/)
})

test('an endpoint receives its events, signed by the secret of its creation, until it is disabled', async ({
  sandbox,
  sdk,
}) => {
  const url = `${sandbox.receiver.url}/so-cupons`
  const got = () => sandbox.receiver.deliveries.filter(({ path }) => path === '/so-cupons')
  const endpoint = await sdk.webhookEndpoints.create({
    url,
    enabled_events: ['coupon.created'],
    api_version: '2026-10-28.endive',
  })
  await sdk.customers.create({ email: 'nada@exemplo.com.br' })
  const coupon = await sdk.coupons.create({ percent_off: 5 })
  const first = await sandbox.receiver.waitForDelivery(
    ({ path }) => path === '/so-cupons',
    'the coupon at its endpoint',
  )

  const read = await sdk.webhookEndpoints.retrieve(endpoint.id)
  const changed = await sdk.webhookEndpoints.update(endpoint.id, {
    enabled_events: ['*'],
    metadata: { de: 'teste' },
  })
  const listed = await sdk.webhookEndpoints.list()
  const off = await sdk.webhookEndpoints.update(endpoint.id, { disabled: true })
  const silent = await sdk.coupons.create({ percent_off: 6 })
  await sandbox.receiver.waitForDelivery(
    ({ event }) => (event.data.object as Stripe.Coupon).id === silent.id,
    'the coupon elsewhere',
  )
  const gone = await sdk.webhookEndpoints.del(endpoint.id)

  expect(
    Stripe.webhooks.constructEvent(first.body, first.signature, endpoint.secret as string, 1e9),
  ).toMatchObject({
    data: { object: { id: coupon.id } },
  })
  expect([read.secret, read.status]).toEqual([undefined, 'enabled'])
  expect(changed).toMatchObject({ enabled_events: ['*'], metadata: { de: 'teste' } })
  expect(listed.data.map((one) => one.url)).toContain(url)
  expect(off.status).toBe('disabled')
  expect(gone).toMatchObject({ id: endpoint.id, deleted: true })
  expect(got().every(({ event }) => (event.data.object as Stripe.Coupon).id !== silent.id)).toBe(true)
  await expect(sdk.webhookEndpoints.create({ url: 'ftp://x', enabled_events: ['*'] })).rejects.toMatchObject({
    code: 'url_invalid',
  })
  const old = { url, enabled_events: ['*'] as never, api_version: '2020-08-27' as never }
  await expect(sdk.webhookEndpoints.create(old)).rejects.toMatchObject({ param: 'api_version' })
})

test('a refused event is sent again after 1, 5 and 30 s and each 5 minutes, signed anew', async ({
  sandbox,
  sdk,
}) => {
  const url = `${sandbox.receiver.url}/teimoso`
  sandbox.receiver.statuses.set('/teimoso', 503)
  const endpoint = await sdk.webhookEndpoints.create({ url, enabled_events: ['product.created'] })
  const product = await sdk.products.create({ name: 'Teimoso' })
  const tries = () => sandbox.receiver.deliveries.filter(({ path }) => path === '/teimoso')
  const times = () => tries().map(({ signature }) => Number(signature.match(/^t=(\d+),/)?.[1]))
  const first = await sandbox.receiver.waitForDelivery(({ path }) => path === '/teimoso', 'the first try')
  const pendingOf = async () => (await sdk.events.retrieve(first.event.id)).pending_webhooks

  for (const [at, wait] of [1, 5, 30, 300].entries()) {
    await waitUntil(
      async () => (await pendingOf()) === 1 && tries().length >= at + 1,
      `try ${at + 1} was noted`,
    )
    await sandbox.callSandbox('/clock', { advance_seconds: wait })
  }
  const [begin = 0] = times()
  const waits = times().map((at) => at - begin)
  const pending = await sdk.events.list({ type: 'product.created', delivery_success: false })
  sandbox.receiver.statuses.delete('/teimoso')
  await sandbox.callSandbox('/clock', { advance_seconds: 300 })
  const event = await sdk.events.retrieve(tries()[0]?.event.id as string)
  await sdk.webhookEndpoints.del(endpoint.id)

  // The running clock may add up to 4 seconds to the schedule.
  expect(waits).toHaveLength(5)
  for (const [at, wait] of [0, 1, 6, 36, 336].entries())
    expect((waits[at] as number) - wait).toBeLessThanOrEqual(4)
  expect(new Set(tries().map(({ signature }) => signature)).size).toBe(tries().length)
  expect(pending.data.map((one) => (one.data.object as Stripe.Product).id)).toContain(product.id)
  expect(event.pending_webhooks).toBe(0)
})
