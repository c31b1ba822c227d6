import { expect, test } from 'vitest'
import { planChangeAddress } from './plan-change-address'

test('the plan change address has the id of the chosen plan; an unknown name leads to the account', () => {
  expect(planChangeAddress('Elite Nível 3')).toBe('/area-usuario?plano=elite_nivel_3')
  expect(planChangeAddress('Top Afiliado')).toBe('/area-usuario?plano=top_afiliado')
  expect(planChangeAddress('Plano Antigo')).toBe('/area-usuario')
})
