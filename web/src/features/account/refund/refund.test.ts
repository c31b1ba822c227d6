import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { RefundSchema } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { isUnderWay, refundText } from './refund'

const asked = { protocol: 'R-1', amountCentavos: 21_790n, state: 'requested' }
const due = timestampFromDate(new Date('2026-12-22T02:59:59Z'))
const byPix = { method: 'pix', pixCentavos: 21_790n }
const textOf = (refund: object) => refundText(create(RefundSchema, { ...asked, ...refund }))

test('a refund, requested or paid, shows how the money returns and when', () => {
  expect(textOf({ method: 'card' })).toBe(
    'O valor volta no mesmo cartão. Costuma aparecer em 5 a 10 dias úteis.',
  )
  expect(textOf({ ...byPix, dueAt: due })).toContain('O valor chega por Pix até 21/12/2026.')
  expect(textOf(byPix)).toContain('O valor chega por Pix em até 30 dias.')
  expect(textOf({ ...byPix, state: 'paid', dueAt: due })).toContain('O valor foi enviado por Pix')
  expect(textOf({ method: 'card', state: 'paid' })).toContain('O valor voltou no mesmo cartão.')
})

test('a refund split between card and Pix shows both parts', () => {
  const both = { method: 'pix', pixCentavos: 9_790n, dueAt: due }
  const clean = (text: string) => text.replaceAll('\u00a0', ' ')
  expect(clean(textOf(both))).toBe(
    'R$ 120,00 voltam no mesmo cartão, em 5 a 10 dias úteis, e R$ 97,90 chegam por Pix até 21/12/2026. A chave precisa ser o email da sua assinatura.',
  )
  expect(clean(textOf({ ...both, state: 'paid' }))).toContain(
    'R$ 120,00 voltaram no mesmo cartão, e R$ 97,90 foram',
  )
})

test('a card refund is polled in its first minute, a paid one only while credit remains, Pix never', () => {
  const now = new Date('2026-11-22T12:00:00Z')
  const at = (seconds: number) => timestampFromDate(new Date(now.getTime() - seconds * 1000))
  const isFollowed = (refund: object, credit = 0n) =>
    isUnderWay(create(RefundSchema, { ...asked, ...refund }), credit, now)
  expect(isFollowed({ requestedAt: at(5) })).toBe(true)
  expect(isFollowed({ requestedAt: at(61) })).toBe(false)
  expect(isFollowed({ requestedAt: at(5), state: 'paid' })).toBe(false)
  expect(isFollowed({ requestedAt: at(5), state: 'paid' }, 1n)).toBe(true)
  expect(isFollowed({ requestedAt: at(61), state: 'paid' }, 1n)).toBe(false)
  expect(isFollowed({ requestedAt: at(5), ...byPix })).toBe(false)
  expect(isUnderWay(undefined, 1n, now)).toBe(false)
})
