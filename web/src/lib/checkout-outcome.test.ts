import { expect, test } from 'vitest'
import { outcomeOf, resultAddress, resultPath, sessionIdOf } from './checkout-outcome'

test('pago é pago; completo sem pagamento espera o boleto', () => {
  expect(outcomeOf({ status: 'complete', paymentStatus: 'paid' })).toBe('paid')
  expect(outcomeOf({ status: 'complete', paymentStatus: 'unpaid' })).toBe('awaiting')
  expect(outcomeOf({ status: 'open', paymentStatus: 'unpaid' })).toBe('open')
  expect(outcomeOf({ status: 'expired', paymentStatus: 'unpaid' })).toBe('expired')
})

test('o id da sessão é o que vem antes de _secret_', () => {
  expect(sessionIdOf('cs_test_abc_secret_xyz')).toBe('cs_test_abc')
  for (const bad of [null, '', 'cs_test_abc', '_secret_x']) expect(sessionIdOf(bad)).toBeNull()
})

test('só pago e aguardando têm página de resultado própria', () => {
  expect(resultPath('paid')).toBe('/payment-success')
  expect(resultPath('awaiting')).toBe('/payment-awaited')
  for (const other of ['open', 'expired', null] as const) expect(resultPath(other)).toBeNull()
  expect(resultAddress('/payment-success', 'cs_1')).toBe('/payment-success?session_id=cs_1')
  expect(resultAddress('/payment-canceled', null)).toBe('/payment-canceled')
})
