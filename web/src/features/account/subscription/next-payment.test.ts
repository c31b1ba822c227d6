import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { SubscriptionSchema } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import type { SubscriptionView } from './account-status'
import { comingMoney } from './next-payment'

const BY_CARD = 'No seu cartão. Troque em Gerenciar Plano.'
const NO_BALANCE = { credit: 0n, carried: 0n }
const coming = (
  subscription: MessageInitShape<typeof SubscriptionSchema>,
  balance: object = {},
  active = true,
) => {
  const details = create(SubscriptionSchema, {
    priceCentavos: 9_790n,
    paymentMethod: 'card',
    nextPaymentCentavos: 9_790n,
    ...subscription,
  })
  const end = new Date('2026-12-23T12:00:00Z')
  const view: SubscriptionView = {
    plan: 'Top Afiliado',
    active,
    status: active ? 'active' : 'canceled',
    start: null,
    end,
    details,
  }
  const { next, notes } = comingMoney(view, { ...NO_BALANCE, ...balance })
  return [next, ...notes].map((text) => text?.replaceAll('\u00a0', ' ') ?? null)
}

test('the next payment is the amount of the server, which includes credit and remainder', () => {
  expect(coming({})).toEqual(['R$ 97,90 em 23/12/2026', BY_CARD])
  expect(coming({ nextPaymentCentavos: 0n }, { credit: 15_000n })).toEqual([
    'R$ 0,00 em 23/12/2026 (o crédito cobre)',
  ])
  expect(coming({ nextPaymentCentavos: 4_580n }, { credit: 5_210n })).toEqual([
    'R$ 45,80 em 23/12/2026',
    BY_CARD,
    'O valor já conta com o seu crédito de R$ 52,10.',
  ])
  expect(coming({ nextPaymentCentavos: 10_110n, paymentMethod: 'boleto' }, { carried: 320n })).toEqual([
    'R$ 101,10 em 23/12/2026',
    'Por boleto: ele chega no seu email e aparece aqui.',
    'O resto da fatura anterior era pouco para ser cobrado sozinho e está no próximo pagamento.',
  ])
})

test('an amount too small for a boleto is not charged, and a note explains that', () => {
  expect(coming({ nextPaymentCentavos: 0n, paymentMethod: 'boleto' }, { credit: 9_470n })).toEqual([
    'R$ 0,00 em 23/12/2026',
    'O que falta é pouco para ser cobrado sozinho e vem com a renovação seguinte.',
  ])
})

test('without a renewal, the note states that the credit stays in the account, not that it pays charges', () => {
  const kept = 'Seu crédito fica na conta: se você assinar de novo, ele é usado primeiro.'
  const ends = { cancelAtPeriodEnd: true, nextPaymentCentavos: undefined }
  expect(coming(ends, { credit: 15_000n })).toEqual([null, kept])
  expect(coming({ nextPaymentCentavos: undefined }, { credit: 15_000n }, false)).toEqual([null, kept])
  expect(coming(ends)).toEqual([null])
  expect(coming({ nextPaymentCentavos: undefined }, { credit: 15_000n })).toEqual([
    null,
    'Seu crédito é usado nas próximas cobranças.',
  ])
})
