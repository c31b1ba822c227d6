/** Boleto numbers, checked by two independent libraries. */
import boletos from '@mrmgomes/boleto-utils'
import validator from 'boleto-brasileiro-validator'

import { expect, type Sandbox, type Stripe, test, waitUntil } from './sandbox'
import { createShop, intentOf, issueBoleto } from './shop'

const { boletoBancarioCodigoBarras, boletoBancarioLinhaDigitavel } = validator
const NARROW_WIDE = ['nnwwn', 'wnnnw', 'nwnnw', 'wwnnn', 'nnwnw', 'wnwnn', 'nwwnn', 'nnnww', 'wnnwn', 'nwnwn']

/** The digits of an interleaved 2 of 5: five bars are one digit, their five spaces the next. */
function digitsOf(page: string): string {
  const path = page.match(/<path d="([^"]+)" fill="#000"/)?.[1] ?? ''
  const bars = [...path.matchAll(/M(\d+) 0h(\d+)v50/g)].map(([, x, width]) => ({
    x: Number(x),
    width: Number(width),
  }))
  const elements = bars.flatMap((bar, at) => {
    const next = bars[at + 1]
    return next ? [bar.width, next.x - bar.x - bar.width] : [bar.width]
  })
  const letters = elements.map((width) => (width > 1 ? 'w' : 'n'))
  expect([letters.slice(0, 4).join(''), letters.slice(-3).join('')], 'start and stop').toEqual([
    'nnnn',
    'wnn',
  ])
  let digits = ''
  for (let at = 4; at < letters.length - 3; at += 10) {
    const pair = letters.slice(at, at + 10)
    for (const of of [0, 1])
      digits += NARROW_WIDE.indexOf(pair.filter((_, index) => index % 2 === of).join(''))
  }
  return digits
}

/** The day in São Paulo, `2026-12-04`. */
const toDay = (seconds: number) =>
  new Date(seconds * 1000).toLocaleDateString('sv-SE', { timeZone: 'America/Sao_Paulo' })

async function issueVoucher(sandbox: Sandbox, centavos: number, days: number) {
  const shop = await createShop(sandbox.sdk)
  const done = await issueBoleto(sandbox, shop, {
    line_items: [
      {
        price_data: {
          currency: 'brl',
          unit_amount: centavos,
          product: shop.product.id,
          recurring: { interval: 'month' },
        },
        quantity: 1,
      },
    ],
    allowed_payment_method_types: ['boleto'],
    payment_method_options: { boleto: { expires_after_days: days } },
    discounts: [],
  })
  const intent = await intentOf(sandbox.sdk, done)
  return {
    intent,
    details: intent.next_action
      ?.boleto_display_details as Stripe.PaymentIntent.NextAction.BoletoDisplayDetails,
  }
}

for (const [centavos, days] of [
  [500, 0],
  [9_790, 1],
  [19_611, 3],
  [123_456, 7],
  [4_999_999, 60],
] as const) {
  test(`line and barcode of ${centavos} centavos in ${days} days are valid, with amount and due date`, async ({
    sandbox,
  }) => {
    const { intent, details } = await issueVoucher(sandbox, centavos, days)
    const line = details.number as string
    const page = await (await fetch(details.hosted_voucher_url as string)).text()
    const bars = digitsOf(page)
    const read = boletos.validarBoleto(line)

    expect(boletoBancarioLinhaDigitavel(line, true), line).toBe(true)
    expect(boletoBancarioCodigoBarras(bars), bars).toBe(true)
    expect(read).toMatchObject({ sucesso: true, codigoBarras: bars, linhaDigitavel: line })
    // This library only converts a barcode to its line. For a general check digit that falls back
    // to 1 it expects 0.
    expect(boletos.codBarras2LinhaDigitavel(bars, false)).toBe(line)
    expect([Math.round(read.valor * 100), intent.amount]).toEqual([centavos, centavos])
    expect(new Date(read.vencimentoComNovoFator2025).toISOString().slice(0, 10)).toBe(
      toDay(details.expires_at as number),
    )
    expect(page).toContain(
      toDay(details.expires_at as number)
        .split('-')
        .reverse()
        .join('/'),
    )
  })
}

test('the libraries refuse the same line with one digit changed', async ({ sandbox }) => {
  const { details } = await issueVoucher(sandbox, 9_790, 3)
  const line = details.number as string
  const wrong = [...line].map((digit, at) => (at === 12 ? (Number(digit) + 1) % 10 : digit)).join('')

  expect(boletoBancarioLinhaDigitavel(wrong, true)).toBe(false)
})

test('the test emails of the provider pay, expire or leave a boleto open', async ({ sandbox, sdk }) => {
  const bought = async (email: string) => issueBoleto(sandbox, await createShop(sdk, email))
  const [paid, expired, later, never] = await Promise.all(
    ['succeed_immediately', 'expire_immediately', 'expire_with_delay', 'fill_never'].map((name) =>
      bought(`ana+${name}@exemplo.com.br`),
    ),
  )
  const statusOf = async (session: Stripe.Checkout.Session) => (await intentOf(sdk, session)).status
  const invoiceOf = async (session: Stripe.Checkout.Session) =>
    (await sdk.invoices.retrieve(session.invoice as string)).status

  await waitUntil(
    async () => (await statusOf(paid as Stripe.Checkout.Session)) === 'succeeded',
    'the boleto paid by itself',
  )
  await waitUntil(
    async () => (await invoiceOf(expired as Stripe.Checkout.Session)) === 'void',
    'the boleto expired by itself',
  )
  expect(await statusOf(later as Stripe.Checkout.Session)).toBe('requires_action')
  await sandbox.callSandbox('/clock', { advance_seconds: 181 })
  expect(await invoiceOf(later as Stripe.Checkout.Session)).toBe('void')
  expect(await statusOf(never as Stripe.Checkout.Session)).toBe('requires_action')
})

test('the test API expires a boleto, and only once', async ({ sandbox, sdk }) => {
  const waiting = await issueBoleto(sandbox, await createShop(sdk))

  const expired = await sandbox.callSandbox(`/_test/boletos/${waiting.id}/expire`)
  const again = await sandbox.callSandbox(`/_test/boletos/${waiting.id}/expire`)
  const subscription = await sdk.subscriptions.retrieve(waiting.subscription as string)

  expect([expired.status, again.status]).toEqual([200, 400])
  expect(subscription.status).toBe('incomplete_expired')
})
