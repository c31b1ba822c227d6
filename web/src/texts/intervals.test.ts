import { expect, test } from 'vitest'
import { intervals as listed } from '../gen/catalog.json'
import { PlanInterval } from '../gen/garimpo/billing/v1/plan_pb'
import { intervalOf, intervals } from './intervals'

test('o período é o mesmo pelo contrato e pelo que se guarda, também o do cartão do plano', () => {
  expect(intervalOf(PlanInterval.SEMIANNUAL)).toMatchObject({ stored: 'semestral', period: '/6 meses' })
  expect(intervalOf('semestral')).toBe(intervalOf(PlanInterval.SEMIANNUAL))
  expect(intervalOf('month')).toBe(intervalOf(PlanInterval.MONTHLY))
})

test('um período desconhecido não é nenhum', () => {
  expect(intervalOf('vitalicio')).toBeNull()
  expect(intervalOf(PlanInterval.UNSPECIFIED)).toBeNull()
})

test('os dias entre duas cobranças são os do catálogo', () => {
  expect(intervals.map(({ stored, days }) => [stored, days])).toEqual(
    listed.map(({ interval, days }) => [interval, days]),
  )
})
