import { expect, test } from 'vitest'
import { readCheckoutMessage } from './checkout-message'

const SITE = 'https://garimpo.example'
const heard = (data: unknown, origin = SITE) => readCheckoutMessage({ origin, data }, SITE)
const plan = {
  name: 'Elite Nível 2',
  price: 'R$ 217,90',
  period: '/mês',
  priceRaw: '217.90',
  interval: 'month',
  couponCode: null,
  couponId: null,
}

test('só a própria origem é ouvida', () => {
  expect(heard({ type: 'checkout_succeeded' }, 'https://mal.example')).toBeNull()
  expect(heard({ type: 'checkout_watched', plan }, 'https://mal.example')).toBeNull()
})

test('a palavra de sucesso tem os campos da especificação', () => {
  expect(heard({ type: 'checkout_succeeded', plan: 'elite_nivel_2', value: '871.60' })).toEqual({
    type: 'checkout_succeeded',
    plan: 'elite_nivel_2',
    interval: '',
    value: '871.60',
  })
})

test('a pergunta leva a sessão e a resposta leva a escolha', () => {
  expect(heard({ type: 'checkout_hello', sessionId: 'cs_1' })).toEqual({
    type: 'checkout_hello',
    sessionId: 'cs_1',
  })
  expect(heard({ type: 'checkout_hello', sessionId: 7 })).toEqual({ type: 'checkout_hello', sessionId: null })
  expect(heard({ type: 'checkout_watched', plan })).toEqual({ type: 'checkout_watched', plan })
  expect(heard({ type: 'checkout_watched', plan: { name: 'x' } })).toEqual({
    type: 'checkout_watched',
    plan: null,
  })
})

test('o que não é palavra do checkout é nada', () => {
  for (const data of [null, 'checkout_succeeded', {}, { type: 'outra' }]) expect(heard(data)).toBeNull()
})
