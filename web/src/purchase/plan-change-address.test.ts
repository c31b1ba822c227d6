import { expect, test } from 'vitest'
import { planChangeAddress } from './plan-change-address'

test('o endereço da mudança leva o id do plano escolhido; um nome desconhecido leva à conta', () => {
  expect(planChangeAddress('Elite Nível 3')).toBe('/area-usuario?plano=elite_nivel_3')
  expect(planChangeAddress('Top Afiliado')).toBe('/area-usuario?plano=top_afiliado')
  expect(planChangeAddress('Plano Antigo')).toBe('/area-usuario')
})
