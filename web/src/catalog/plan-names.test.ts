import { expect, test } from 'vitest'
import { planChangeAddress, planIdOf, planName } from './plan-names'

test('a plan is shown by its name, an unknown id unchanged, and a missing one as N/A', () => {
  expect(planName('elite_nivel_2')).toBe('Elite Nível 2')
  // Sold by a change of plan alone: no card shows it.
  expect(planName('elite_nivel_4')).toBe('Elite Nível 4')
  expect(planName('profissional')).toBe('Profissional')
  expect(planName('top_afiliado_promo')).toBe('Top Afiliado')
  expect(planName('plano_antigo')).toBe('plano_antigo')
  for (const missing of [undefined, null, '']) expect(planName(missing)).toBe('N/A')
})

test('the id of a display name is that of the plan for sale; an id and an unknown name stay', () => {
  expect(planIdOf('Elite Nível 2')).toBe('elite_nivel_2')
  expect(planIdOf('Top Afiliado')).toBe('top_afiliado')
  for (const other of ['elite_nivel_2', 'Plano Antigo', 'toString']) expect(planIdOf(other)).toBe(other)
})

test('the plan change address has the id of the plan; an unknown plan leads to the account', () => {
  expect(planChangeAddress('elite_nivel_3')).toBe('/area-usuario?plano=elite_nivel_3')
  for (const unknown of ['Plano Antigo', 'toString', undefined])
    expect(planChangeAddress(unknown)).toBe('/area-usuario')
})
