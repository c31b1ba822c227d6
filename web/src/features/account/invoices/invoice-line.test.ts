import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { InvoiceSchema } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { PlanInterval } from '../../../gen/garimpo/billing/v1/plan_pb'
import { invoiceLine } from './invoice-line'

const line = (invoice: MessageInitShape<typeof InvoiceSchema>) =>
  invoiceLine(
    create(InvoiceSchema, {
      totalCentavos: 21_790n,
      amountDueCentavos: 21_790n,
      status: 'paid',
      createdAt: timestampFromDate(new Date('2026-11-22T01:30:00Z')),
      paymentMethod: 'card',
      reason: 'renewal',
      planId: 'elite_nivel_2',
      interval: PlanInterval.MONTHLY,
      number: 'TRVJKSOE-0001',
      ...invoice,
    }),
  )
const brl = (text: string) => text.replaceAll('\u00a0', ' ')

test('an invoice shows its date, reason, amount, method and status', () => {
  expect(line({})).toEqual({
    what: 'Renovação',
    plan: 'Elite\u00a0Nível\u00a02, Mensal',
    date: '21/11/2026',
    number: 'Nº\u00a0TRVJKSOE-0001',
    amount: 'R$\u00a0217,90',
    notes: [],
    method: 'Cartão',
    paper: 'receipt',
    status: 'Paga',
    tone: 'good',
  })
})

test('an invoice shows the credit used, the credit given and the amount refunded', () => {
  expect(brl(line({ amountDueCentavos: 1_790n }).amount)).toBe('R$ 17,90')
  expect(line({ amountDueCentavos: 1_790n }).notes.map(brl)).toEqual(['de R$ 217,90, com seu crédito'])
  const credited = line({
    totalCentavos: -5_000n,
    amountDueCentavos: 0n,
    reason: 'plan_change',
    paymentMethod: '',
  })
  expect(brl(credited.amount)).toBe('Crédito de R$ 50,00')
  expect(credited).toMatchObject({ what: 'Mudança de plano', method: '', notes: [], status: 'Creditado' })
  expect(line({ totalCentavos: -5_000n, amountDueCentavos: 0n, creditEnded: true })).toMatchObject({
    status: 'Encerrado',
    tone: 'plain',
  })
  expect(line({ status: 'refunded', refundedCentavos: 21_790n })).toMatchObject({
    status: 'Devolvida',
    tone: 'plain',
  })
  expect(line({ amountDueCentavos: 0n, carriedCentavos: 320n }).notes.map(brl)).toEqual([
    'de R$ 217,90, com seu crédito',
    'R$ 3,20 ficam para a próxima fatura',
  ])
  expect(line({ amountDueCentavos: 22_110n }).notes.map(brl)).toEqual(['com R$ 3,20 da fatura anterior'])
  expect(line({ refundedCentavos: 1_000n }).notes.map(brl)).toEqual(['R$ 10,00 devolvidos'])
})

test('only a paid invoice has a receipt', () => {
  expect(line({ status: 'refunded' }).paper).toBe('receipt')
  for (const status of ['open', 'void', 'uncollectible']) expect(line({ status }).paper).toBe('invoice')
})

test('an unknown status is shown as received, an unknown reason as a charge, an unknown method not at all', () => {
  expect(line({ reason: 'other', status: 'uncollectible', paymentMethod: 'pix' })).toMatchObject({
    what: 'Cobrança',
    status: 'uncollectible',
    method: '',
  })
})

test('an invoice without a number shows none', () => {
  expect(line({ number: '' }).number).toBe('')
})
