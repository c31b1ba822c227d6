import { expect, test } from 'vitest'
import { freeShift } from './free-shift'

const message = { left: 0, right: 100, top: 700, bottom: 780 }
const action = (top: number, bottom: number, left = 0) => ({ left, right: left + 100, top, bottom })

test('a toast that covers nothing stays in its place', () => {
  expect(freeShift(message, [action(600, 690), action(700, 780, 100)], 8, 792)).toBe(0)
})

test('a toast moves off a button by the shortest distance', () => {
  expect(freeShift(message, [action(740, 788)], 8, 792)).toBe(-40)
  expect(freeShift(message, [action(740, 788), action(640, 700)], 8, 792)).toBe(-140)
})

test('a toast at the top moves down', () => {
  expect(freeShift({ ...message, top: 72, bottom: 152 }, [action(100, 148)], 8, 792)).toBe(76)
})

test('without free space the toast stays where it covers least', () => {
  const everywhere = Array.from({ length: 80 }, (_, at) => action(at * 10, at * 10 + 10))
  expect(freeShift(message, everywhere, 8, 792)).toBe(0)
  expect(freeShift(message, [...everywhere.slice(0, 60), action(600, 900), action(700, 900)], 8, 792)).toBe(
    -80,
  )
})
