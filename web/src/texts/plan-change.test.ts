import { expect, test } from 'vitest'
import { ErrorReason } from '../gen/garimpo/errors/v1/error_reason_pb'
import { planChange, planChangeError } from './plan-change'

test('a refusal by the bank is explained in Portuguese, with a way to change the card', () => {
  for (const [code, said] of [
    ['insufficient_funds', 'sem limite ou saldo'],
    ['expired_card', 'vencido'],
    ['do_not_honor', 'não aprovou'],
    ['', 'não aprovou'],
  ]) {
    const { text, portal } = planChangeError('PAYMENT_DECLINED', code)
    expect(text, code).toContain(said)
    expect(text, code).toContain('nada foi cobrado')
    expect(portal).toBe('change')
  }
})

test('an error of a price preview does not mention a charge', () => {
  for (const reason of ['OFFLINE', 'UNAVAILABLE', 'PROVIDER_UNAVAILABLE'] as const) {
    expect(planChangeError(reason, undefined).text, reason).toContain('nada é cobrado duas vezes')
    expect(planChangeError(reason, undefined, false).text, reason).not.toContain('cobrado')
  }
})

test('each reason has a text; only a missing or declined card leads to the portal', () => {
  for (const reason of [...Object.keys(ErrorReason), 'OFFLINE'] as Parameters<typeof planChangeError>[0][]) {
    if (!Number.isNaN(Number(reason))) continue
    const { text, portal } = planChangeError(reason, undefined)
    expect(text, reason).toMatch(/^\p{Lu}.{20,}/u)
    expect(portal !== null, reason).toBe(reason === 'PAYMENT_DECLINED' || reason === 'CARD_REQUIRED')
  }
})

test('the summary of a plan counts other differences, not more of the same', () => {
  const { more } = planChange
  expect([0, 1, 5].map((others) => more('20 grupos', others))).toEqual([
    '20 grupos',
    '20 grupos e mais 1 diferença',
    '20 grupos e mais 5 diferenças',
  ])
})
