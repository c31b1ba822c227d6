import { expect, test } from 'vitest'
import { intervalOf } from '../catalog/intervals'
import { finish, paymentFor } from './finish'

test('the button to finish the purchase states the period that the amount pays for', () => {
  const said = (interval: string, isReduced: boolean, price: string | null = 'R$ 97,90') =>
    finish('Elite', price, paymentFor(intervalOf(interval), isReduced))
  expect(said('anual', true)).toBe('Concluir assinatura do plano Elite por R$ 97,90 (anual)')
  expect(said('month', false)).toBe('Concluir assinatura do plano Elite por R$ 97,90/mês')
  expect(said('month', true)).toBe('Concluir assinatura do plano Elite por R$ 97,90 no 1º mês')
  expect(said('anual', false, null)).toBe('Concluir assinatura do plano Elite')
})
