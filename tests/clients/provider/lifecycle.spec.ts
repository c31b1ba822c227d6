/**
 * The lifecycle of a subscription by the provider's Node SDK. By its Python SDK:
 * `python/test_lifecycle.py`.
 */
import { expect, type Stripe, test, waitUntil } from './sandbox'
import { advance, buy, createShop, intentOf } from './shop'

const DAY = 86_400

test('a subscription is bought, renewed, refunded and disputed', async ({ sandbox, sdk }) => {
  const clock = await sdk.testHelpers.testClocks.create({ frozen_time: 1_800_000_000, name: 'ciclo' })
  const shop = await createShop(sdk, 'ciclo@exemplo.com.br', clock.id)

  const bought = await buy(sandbox, shop)
  const subscription = bought.subscription as string
  const active = await sdk.subscriptions.retrieve(subscription)
  const end = active.items.data[0]?.current_period_end as number
  // The draft at the end of the period, the payment an hour later.
  await advance(sdk, clock.id, end)
  const [draft] = (await sdk.invoices.list({ subscription, status: 'draft' })).data
  await advance(sdk, clock.id, end + 3_600)
  const [renewal] = (
    await sdk.invoices.list({ subscription, status: 'paid', limit: 1, expand: ['data.payments'] })
  ).data
  const renewed = await sdk.subscriptions.retrieve(subscription)
  const paidBy = renewal?.payments?.data[0]?.payment.payment_intent as string
  const refund = await sdk.refunds.create({ payment_intent: paidBy, reason: 'duplicate' })
  const [charge] = (await sdk.charges.list({ payment_intent: paidBy })).data

  expect(bought).toMatchObject({ status: 'complete', payment_status: 'paid' })
  expect([active.status, active.test_clock, end]).toEqual(['active', clock.id, 1_800_000_000 + 30 * DAY])
  expect([draft?.billing_reason, draft?.id]).toEqual(['subscription_cycle', renewal?.id])
  expect(renewed).toMatchObject({
    status: 'active',
    items: { data: [{ current_period_end: end + 30 * DAY }] },
  })
  expect(refund).toMatchObject({
    status: 'succeeded',
    reason: 'duplicate',
    amount: 21_790,
    charge: charge?.id,
  })
  expect(charge).toMatchObject({ refunded: true, amount_refunded: 21_790, paid: true, status: 'succeeded' })

  const disputed = await buy(sandbox, await createShop(sdk, 'contesta@exemplo.com.br'), '4000000000000259')
  const intent = await intentOf(sdk, disputed)
  let dispute: Stripe.Dispute | undefined
  await waitUntil(async () => {
    ;[dispute] = (await sdk.disputes.list({ payment_intent: intent.id })).data
    return dispute !== undefined
  }, 'the dispute')
  const opened = dispute as Stripe.Dispute
  expect((await sdk.disputes.retrieve(opened.id)).id).toBe(opened.id)
  const refused = sdk.refunds.create({ payment_intent: intent.id })
  await expect(refused).rejects.toMatchObject({ statusCode: 400 })
  const won = await sdk.disputes.update(opened.id, {
    evidence: { uncategorized_text: 'winning_evidence' },
    submit: true,
  })

  expect(opened).toMatchObject({
    status: 'needs_response',
    reason: 'fraudulent',
    is_charge_refundable: false,
  })
  expect(won.status).toBe('won')
  expect(await sdk.charges.retrieve(intent.latest_charge as string)).toMatchObject({
    disputed: true,
    refunded: false,
  })
})
