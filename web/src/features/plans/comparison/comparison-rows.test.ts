import { expect, test } from 'vitest'
import { plansOnCards } from '../../../catalog/catalog'
import { all_plans } from '../../../gen/catalog.json'
import { formatCentavos } from '../../../lib/money'
import { featureExplanations, featureWords, limitExplanations, limitWords } from '../../../texts/plan-limits'
import { comparedPlans, comparisonRows } from './comparison-rows'

const cellsOf = (name: string) => comparisonRows().find((row) => row.name === name)?.cells

test('the comparison has the plans of the cards; levels that differ in one number share a column', () => {
  expect(comparedPlans).toEqual([
    'Top Afiliado',
    'Elite Nível 1',
    'Elite Nível 2',
    'Elite Nível 3',
    'Elite PRO',
  ])
})

test('the price in the comparison is the charged price of the cards, with their discount', () => {
  const elite = plansOnCards.find(({ id }) => id === 'elite_nivel_1')
  const row = comparisonRows().find(({ name }) => name === 'Preço por mês')
  expect(elite?.originalCentavos).toBeGreaterThan(elite?.monthlyCentavos ?? 0)
  expect(row?.cells[1]).toBe(formatCentavos(elite?.monthlyCentavos ?? 0))
  expect(row?.text).toBe('Cobrança mensal; cancele quando quiser.')
})

test('the comparison shows the limits of the catalogue', () => {
  expect(cellsOf('Preço por mês')?.map((price) => price.replaceAll('\u00a0', ' '))).toEqual([
    'R$ 97,90',
    'R$ 197,90',
    'R$ 217,90',
    'R$ 247,90',
    'R$ 297,90 a R$ 1.047,90',
  ])
  expect(cellsOf('Números de WhatsApp')).toEqual(['1', '1', '1', '1', '1 a 6'])
  expect(cellsOf('Grupos')).toEqual(['3 + 3', '10 + 10', '20 + 20', '50 + 50', 'Sem limite'])
  expect(cellsOf('Promotores automáticos')).toEqual(['', '5', '8', '8', '10'])
  expect(cellsOf('Canais de WhatsApp')).toEqual(['', '', '', '', 'Sim'])
  expect(cellsOf('Painel de resultados')).toEqual(['', '', '', '', 'Sim'])
})

test('each limit and feature of the catalogue has an explanation of one line', () => {
  expect(Object.keys(limitExplanations)).toEqual(Object.keys(limitWords))
  expect(Object.keys(limitExplanations).sort()).toEqual(Object.keys(all_plans[0]?.limits ?? {}).sort())
  expect(Object.keys(featureExplanations)).toEqual(Object.keys(featureWords))
  for (const { text } of Object.values({ ...limitExplanations, ...featureExplanations })) {
    expect(text.length, text).toBeLessThanOrEqual(60)
    expect(text).toMatch(/^[A-Z].*\.$/)
  }
})
