import { expect, test } from 'vitest'
import { outcomeOf, resultAddress, resultPath, sessionIdOf } from './checkout-outcome'

test('a paid checkout is paid; a complete unpaid one awaits the boleto', () => {
  expect(outcomeOf({ status: 'complete', paymentStatus: 'paid' })).toBe('paid')
  expect(outcomeOf({ status: 'complete', paymentStatus: 'unpaid' })).toBe('awaiting')
  expect(outcomeOf({ status: 'open', paymentStatus: 'unpaid' })).toBe('open')
  expect(outcomeOf({ status: 'expired', paymentStatus: 'unpaid' })).toBe('expired')
})

test('the session id is the part before _secret_', () => {
  expect(sessionIdOf('cs_test_abc_secret_xyz')).toBe('cs_test_abc')
  for (const bad of [null, '', 'cs_test_abc', '_secret_x']) expect(sessionIdOf(bad)).toBeNull()
})

test('only paid and awaiting have result pages of their own', () => {
  expect(resultPath('paid')).toBe('/payment-success')
  expect(resultPath('awaiting')).toBe('/payment-awaited')
  for (const other of ['open', 'expired', null] as const) expect(resultPath(other)).toBeNull()
  expect(resultAddress('/payment-success', 'cs_1')).toBe('/payment-success?session_id=cs_1')
  expect(resultAddress('/payment-canceled', null)).toBe('/payment-canceled')
})
