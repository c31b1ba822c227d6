import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { all_plans, plans } from '../../../gen/catalog.json'
import { FeatureSchema, LimitSchema } from '../../../gen/garimpo/billing/v1/plan_pb'
import { differencesOf, type PlanRights } from './plan-differences'

/** A plan of the catalogue as the server lists it. */
function rights(id: string): PlanRights {
  const plan = all_plans.find((plan) => plan.id === id)
  if (!plan) throw new Error(`no plan ${id}`)
  return {
    limits: Object.entries(plan.limits).map(([resource, max]) =>
      create(LimitSchema, {
        resource,
        amount: max === null ? { case: 'unlimited', value: true } : { case: 'max', value: BigInt(max) },
      }),
    ),
    features: plan.features.map((name) => create(FeatureSchema, { name, enabled: true })),
  }
}

test('rights are described in the words of the plan cards', () => {
  for (const { id, features } of plans)
    expect(differencesOf(rights('free'), rights(id)), id).toEqual({ gains: features, losses: [] })
})

test('an upgrade lists only what changes, with the present limits', () => {
  expect(differencesOf(rights('elite_nivel_1'), rights('elite_nivel_2'))).toEqual({
    gains: [
      '20 grupos de WhatsApp e 20 de Telegram (hoje 10)',
      '8 promotores automáticos (hoje 5)',
      '3 filas de envio (hoje 2)',
      '5 automações de busca com IA (hoje 2)',
      '3 monitoramentos (hoje 1)',
      '2 roteadores de envios (hoje 1)',
    ],
    losses: [],
  })
  expect(differencesOf(rights('top_afiliado'), rights('elite_pro_1')).gains).toContain(
    'Grupos ilimitados de WhatsApp e Telegram (hoje 3)',
  )
  expect(differencesOf(rights('top_afiliado'), rights('elite_pro_1')).gains).toContain(
    'Links de convite únicos',
  )
})

test('a downgrade lists what is lost', () => {
  const { gains, losses } = differencesOf(rights('elite_pro_1'), rights('top_afiliado'))
  expect(gains).toEqual([])
  expect(losses).toContain('Só 3 grupos de WhatsApp e 3 de Telegram (hoje sem limite)')
  expect(losses).toContain('Sem canais de WhatsApp')
  expect(losses).toContain('Sem promotores automáticos')
  expect(losses).toContain('Sem gerenciador de grupos')
})

test('the same plan changes nothing', () => {
  for (const { id } of plans)
    expect(differencesOf(rights(id), rights(id)), id).toEqual({ gains: [], losses: [] })
})
