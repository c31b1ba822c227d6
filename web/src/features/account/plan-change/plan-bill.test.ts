import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { PreviewPlanChangeResponseSchema } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { planBill } from './plan-bill'

const bill = (preview: MessageInitShape<typeof PreviewPlanChangeResponseSchema>) => {
  const shown = planBill(create(PreviewPlanChangeResponseSchema, preview))
  return {
    texts: shown.map(({ text }) => text),
    sum: shown.reduce((sum, { centavos }) => sum + centavos, 0n),
  }
}
const lines = (unused: bigint, charged: bigint) => [
  { planId: 'top_afiliado', amountCentavos: unused },
  {
    planId: 'elite_nivel_1',
    amountCentavos: charged,
    endsAt: timestampFromDate(new Date('2026-12-21T15:00:00Z')),
  },
]
const plain = ['Tempo não usado do Top Afiliado', 'Elite Nível 1 até 21/12/2026']

test('the lines add up to the amount due, also with an earlier remainder or a credit', () => {
  expect(bill({ lines: lines(-9_725n, 19_658n) })).toEqual({ texts: plain, sum: 9_933n })
  expect(bill({ lines: lines(-9_725n, 19_658n), earlierCentavos: 190n })).toEqual({
    texts: [...plain, 'Resto da fatura anterior'],
    sum: 10_123n,
  })
  expect(bill({ lines: lines(-9_725n, 19_658n), creditUsedCentavos: 433n })).toEqual({
    texts: [...plain, 'Seu crédito'],
    sum: 9_500n,
  })
})

test('an amount too small to charge moves to the next invoice and is not called credit', () => {
  expect(bill({ lines: lines(-24n, 50n), carriedCentavos: 26n })).toEqual({
    texts: [...plain, 'Fica para a próxima fatura'],
    sum: 0n,
  })
})
