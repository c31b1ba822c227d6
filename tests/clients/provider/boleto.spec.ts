/** The boleto's numbers, read by two libraries of the field that nobody here wrote. */
import boletos from '@mrmgomes/boleto-utils'
import validator from 'boleto-brasileiro-validator'

import { expect, type Sandbox, type Stripe, test, until } from './sandbox'
import { intentOf, issue, open } from './shop'

const { boletoBancarioCodigoBarras, boletoBancarioLinhaDigitavel } = validator
const NARROW_WIDE = ['nnwwn', 'wnnnw', 'nwnnw', 'wwnnn', 'nnwnw', 'wnwnn', 'nwwnn', 'nnnww', 'wnnwn', 'nwnwn']

/** The digits of a drawn interleaved 2 of 5: five bars are one digit, the five spaces between them the next. */
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
const day = (seconds: number) =>
  new Date(seconds * 1000).toLocaleDateString('sv-SE', { timeZone: 'America/Sao_Paulo' })

async function voucher(sandbox: Sandbox, centavos: number, days: number) {
  const shop = await open(sandbox.sdk)
  const done = await issue(sandbox, shop, {
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
  test(`linha e código de barras de ${centavos} centavos a ${days} dias conferem, com valor e vencimento`, async ({
    sandbox,
  }) => {
    const { intent, details } = await voucher(sandbox, centavos, days)
    const line = details.number as string
    const page = await (await fetch(details.hosted_voucher_url as string)).text()
    const bars = digitsOf(page)
    const read = boletos.validarBoleto(line)

    expect(boletoBancarioLinhaDigitavel(line, true), line).toBe(true)
    expect(boletoBancarioCodigoBarras(bars), bars).toBe(true)
    expect(read).toMatchObject({ sucesso: true, codigoBarras: bars, linhaDigitavel: line })
    // Of a bar code this library only turns digits into the line: where the general digit falls back to 1 it expects 0.
    expect(boletos.codBarras2LinhaDigitavel(bars, false)).toBe(line)
    expect([Math.round(read.valor * 100), intent.amount]).toEqual([centavos, centavos])
    expect(new Date(read.vencimentoComNovoFator2025).toISOString().slice(0, 10)).toBe(
      day(details.expires_at as number),
    )
    expect(page).toContain(
      day(details.expires_at as number)
        .split('-')
        .reverse()
        .join('/'),
    )
  })
}

test('as bibliotecas recusam a mesma linha com um dígito trocado', async ({ sandbox }) => {
  const { details } = await voucher(sandbox, 9_790, 3)
  const line = details.number as string
  const wrong = [...line].map((digit, at) => (at === 12 ? (Number(digit) + 1) % 10 : digit)).join('')

  expect(boletoBancarioLinhaDigitavel(wrong, true)).toBe(false)
})

test('os e-mails de teste do provedor pagam, vencem ou deixam esperar', async ({ sandbox, sdk }) => {
  const bought = async (email: string) => issue(sandbox, await open(sdk, email))
  const [paid, expired, later, never] = await Promise.all(
    ['succeed_immediately', 'expire_immediately', 'expire_with_delay', 'fill_never'].map((name) =>
      bought(`ana+${name}@exemplo.com.br`),
    ),
  )
  const statusOf = async (session: Stripe.Checkout.Session) => (await intentOf(sdk, session)).status
  const invoiceOf = async (session: Stripe.Checkout.Session) =>
    (await sdk.invoices.retrieve(session.invoice as string)).status

  await until(
    async () => (await statusOf(paid as Stripe.Checkout.Session)) === 'succeeded',
    'the boleto paid by itself',
  )
  await until(
    async () => (await invoiceOf(expired as Stripe.Checkout.Session)) === 'void',
    'the boleto expired by itself',
  )
  expect(await statusOf(later as Stripe.Checkout.Session)).toBe('requires_action')
  await sandbox.act('/clock', { advance_seconds: 181 })
  expect(await invoiceOf(later as Stripe.Checkout.Session)).toBe('void')
  expect(await statusOf(never as Stripe.Checkout.Session)).toBe('requires_action')
})

test('a porta de testes faz vencer, uma vez só', async ({ sandbox, sdk }) => {
  const waiting = await issue(sandbox, await open(sdk))

  const expired = await sandbox.act(`/_test/boletos/${waiting.id}/expire`)
  const again = await sandbox.act(`/_test/boletos/${waiting.id}/expire`)
  const subscription = await sdk.subscriptions.retrieve(waiting.subscription as string)

  expect([expired.status, again.status]).toEqual([200, 400])
  expect(subscription.status).toBe('incomplete_expired')
})
