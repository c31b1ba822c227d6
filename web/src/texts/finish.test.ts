import { expect, test } from 'vitest'
import { finish } from './finish'

test('Concluir assinatura diz o período que o valor paga', () => {
  expect(finish('Elite', 'R$ 712,44', 'anual')).toBe(
    'Concluir assinatura do plano Elite por R$ 712,44 (anual)',
  )
  expect(finish('Elite', 'R$ 97,90', null)).toBe('Concluir assinatura do plano Elite por R$ 97,90')
  expect(finish('Elite', null, 'anual')).toBe('Concluir assinatura do plano Elite')
})
