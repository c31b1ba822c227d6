import { expect, test } from 'vitest'
import { readCheckoutMessage } from './checkout-message'

const SITE = 'https://garimpo.example'
const readMessage = (data: unknown, origin = SITE) => readCheckoutMessage({ origin, data }, SITE)
const plan = {
  name: 'Elite Nível 2',
  price: 'R$ 217,90',
  period: '/mês',
  priceRaw: '217.90',
  interval: 'month',
  couponCode: null,
  couponId: null,
}

test('only messages of the own origin are read', () => {
  expect(readMessage({ type: 'checkout_succeeded' }, 'https://mal.example')).toBeNull()
  expect(readMessage({ type: 'checkout_watched', plan }, 'https://mal.example')).toBeNull()
})

test('the success message has fixed fields', () => {
  expect(readMessage({ type: 'checkout_succeeded', plan: 'elite_nivel_2', value: '871.60' })).toEqual({
    type: 'checkout_succeeded',
    plan: 'elite_nivel_2',
    interval: '',
    value: '871.60',
  })
})

test('the hello message carries the session, and the reply the choice', () => {
  expect(readMessage({ type: 'checkout_hello', sessionId: 'cs_1' })).toEqual({
    type: 'checkout_hello',
    sessionId: 'cs_1',
  })
  expect(readMessage({ type: 'checkout_hello', sessionId: 7 })).toEqual({
    type: 'checkout_hello',
    sessionId: null,
  })
  expect(readMessage({ type: 'checkout_watched', plan })).toEqual({
    type: 'checkout_watched',
    plan: expect.objectContaining({ planId: 'elite_nivel_2', priceRaw: '217.90' }),
  })
  expect(readMessage({ type: 'checkout_watched', plan: { name: 'x' } })).toEqual({
    type: 'checkout_watched',
    plan: null,
  })
})

test('any other message is ignored', () => {
  for (const data of [null, 'checkout_succeeded', {}, { type: 'outra' }]) expect(readMessage(data)).toBeNull()
})
