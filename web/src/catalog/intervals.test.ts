import { expect, test } from 'vitest'
import { intervals as listed } from '../gen/catalog.json'
import { PlanInterval } from '../gen/garimpo/billing/v1/plan_pb'
import { intervalOf, intervals } from './intervals'

test('a period is the same from the API and from storage, also that of a plan card', () => {
  expect(intervalOf(PlanInterval.SEMIANNUAL)).toMatchObject({ stored: 'semestral', period: '/6 meses' })
  expect(intervalOf('monthly')).toBe(intervalOf(PlanInterval.MONTHLY))
  expect(intervalOf('trimestral')).toBe(intervalOf(PlanInterval.QUARTERLY))
  expect(intervalOf('semestral')).toBe(intervalOf(PlanInterval.SEMIANNUAL))
  expect(intervalOf('anual')).toBe(intervalOf(PlanInterval.ANNUAL))
  expect(intervalOf('month')).toBe(intervalOf(PlanInterval.MONTHLY))
})

test('an unknown period is null', () => {
  expect(intervalOf('vitalicio')).toBeNull()
  expect(intervalOf(PlanInterval.UNSPECIFIED)).toBeNull()
})

test('the days between two charges are those of the catalogue', () => {
  expect(intervals.map(({ stored, days }) => [stored, days])).toEqual(
    listed.map(({ interval, days }) => [interval, days]),
  )
})
