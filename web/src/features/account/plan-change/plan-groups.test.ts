import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { all_plans } from '../../../gen/catalog.json'
import { PlanSchema } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { neighboursOf, plansForSale } from './plan-differences'

test('the 13 plans for sale are listed under three headings, the group of the present plan first', () => {
  const listed = all_plans.map(({ id, group, for_sale, on_cards }) =>
    create(PlanSchema, { id, forSale: for_sale, group: on_cards ? (group ?? '') : '' }),
  )
  const levels = (prefix: string) => [1, 2, 3, 4, 5, 6].map((level) => `${prefix}_${level}`)
  expect(plansForSale(listed, '').map(({ name, plans }) => [name, plans.map(({ id }) => id)])).toEqual([
    ['Top Afiliado', ['top_afiliado']],
    ['Elite', levels('elite_nivel')],
    ['Elite PRO', levels('elite_pro')],
  ])
  const order = (present: string) => plansForSale(listed, present).map(({ name }) => name)
  expect(order('top_afiliado')).toEqual(['Top Afiliado', 'Elite', 'Elite PRO'])
  expect(order('elite_nivel_5')).toEqual(['Elite', 'Elite PRO', 'Top Afiliado'])
  expect(order('elite_pro_2')).toEqual(['Elite PRO', 'Top Afiliado', 'Elite'])
})

test('the neighbours of a plan are the next smaller and the next bigger one', () => {
  const plans = all_plans.map(({ id, for_sale }) => create(PlanSchema, { id, forSale: for_sale }))
  expect(neighboursOf(plans, 'elite_nivel_2')).toEqual(['elite_nivel_1', 'elite_nivel_2', 'elite_nivel_3'])
  expect(neighboursOf(plans, 'top_afiliado')).toEqual(['top_afiliado', 'elite_nivel_1'])
  expect(neighboursOf(plans, 'elite_nivel_6')).toEqual(['elite_nivel_5', 'elite_nivel_6', 'elite_pro_1'])
  expect(neighboursOf(plans, 'profissional')).toEqual([])
})
