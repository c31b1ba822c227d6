import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { all_plans } from '../../../gen/catalog.json'
import { PlanSchema } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { plansForSale } from './plan-groups'

test('os 13 planos à venda ficam sob os três títulos, os sem cartão depois dos seus vizinhos', () => {
  const listed = all_plans.map(({ id, group, for_sale, on_cards }) =>
    create(PlanSchema, { id, forSale: for_sale, group: on_cards ? (group ?? '') : '' }),
  )
  const levels = (prefix: string) => [1, 2, 3, 4, 5, 6].map((level) => `${prefix}_${level}`)
  expect(plansForSale(listed).map(({ name, plans }) => [name, plans.map(({ id }) => id)])).toEqual([
    ['Top Afiliado', ['top_afiliado']],
    ['Elite', levels('elite_nivel')],
    ['Elite PRO', levels('elite_pro')],
  ])
})
