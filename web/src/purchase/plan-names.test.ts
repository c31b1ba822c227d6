import { expect, test } from 'vitest'
import { planName } from './plan-names'

test('a plan is shown by its name, an unknown id unchanged, and a missing one as N/A', () => {
  expect(planName('elite_nivel_2')).toBe('Elite Nível 2')
  // Sold by a change of plan alone: no card shows it.
  expect(planName('elite_nivel_4')).toBe('Elite Nível 4')
  expect(planName('profissional')).toBe('Profissional')
  expect(planName('top_afiliado_promo')).toBe('Top Afiliado')
  expect(planName('plano_antigo')).toBe('plano_antigo')
  for (const missing of [undefined, null, '']) expect(planName(missing)).toBe('N/A')
})
