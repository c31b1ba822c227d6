import { afterEach, expect, test } from 'vitest'
import { read, remove, write } from '../lib/browser-storage'
import {
  applyPromotion,
  isRemovedSince,
  type KeptPromotion,
  keepDefaultCode,
  keepLinkedCode,
  keepPromotion,
  type PromotionEvent,
} from './kept-promotion'

afterEach(() => remove('promoCode', 'promoCodeAt'))

const [MON, TUE, WED] = ['2026-11-02T12:00:00.000Z', '2026-11-03T12:00:00.000Z', '2026-11-04T12:00:00.000Z']
const nothing: KeptPromotion = { code: null, keptAt: null }
const maria: KeptPromotion = { code: 'maria', keptAt: TUE }
const removed: KeptPromotion = { code: null, keptAt: TUE }

test.each<[what: string, before: KeptPromotion, event: PromotionEvent, after: KeptPromotion]>([
  ['a link gives its code', nothing, { kind: 'linked', code: 'maria', at: TUE }, maria],
  [
    'a link replaces another code',
    { code: 'final50', keptAt: MON },
    { kind: 'linked', code: 'maria', at: TUE },
    maria,
  ],
  [
    'a link dates the same code anew',
    { ...maria, keptAt: MON },
    { kind: 'linked', code: 'maria', at: TUE },
    maria,
  ],
  [
    'a link gives a code that was removed',
    removed,
    { kind: 'linked', code: 'maria', at: WED },
    { ...maria, keptAt: WED },
  ],
  [
    'a promotional page gives its code',
    nothing,
    { kind: 'defaulted', code: 'novo', at: TUE },
    { code: 'novo', keptAt: TUE },
  ],
  ['a promotional page replaces no code', maria, { kind: 'defaulted', code: 'novo', at: WED }, maria],
  [
    'a promotional page gives its code after a removal',
    removed,
    { kind: 'defaulted', code: 'novo', at: WED },
    { code: 'novo', keptAt: WED },
  ],
  [
    "the product's time dates its code",
    maria,
    { kind: 'dated', code: 'maria', at: WED },
    { ...maria, keptAt: WED },
  ],
  ["the product's time dates no later code", maria, { kind: 'dated', code: 'novo', at: WED }, maria],
  ["the product's time dates no removal", removed, { kind: 'dated', code: 'maria', at: WED }, removed],
  ['a sign-in gives the code of the account', nothing, { kind: 'signed-in', code: 'maria', at: TUE }, maria],
  ['a sign-in replaces no code', maria, { kind: 'signed-in', code: 'novo', at: WED }, maria],
  [
    'a sign-in gives no code that was removed since',
    removed,
    { kind: 'signed-in', code: 'maria', at: MON },
    removed,
  ],
  [
    'a sign-in gives a code that was kept after the removal',
    removed,
    { kind: 'signed-in', code: 'maria', at: WED },
    { code: 'maria', keptAt: WED },
  ],
  ['a removal keeps its time', maria, { kind: 'removed', at: WED }, { code: null, keptAt: WED }],
  ['a code that is over leaves nothing', maria, { kind: 'over', code: 'maria' }, nothing],
  ['the end of a code leaves another one', maria, { kind: 'over', code: 'novo' }, maria],
  ['the end of a code leaves a removal', removed, { kind: 'over', code: 'maria' }, removed],
])('%s', (_, before, event, after) => {
  expect(keepPromotion(before, event)).toEqual(after)
})

test('a code counts as removed since a time only without a code', () => {
  expect(isRemovedSince(removed, MON)).toBe(true)
  expect(isRemovedSince(removed, WED)).toBe(false)
  expect(isRemovedSince(maria, MON)).toBe(false)
  expect(isRemovedSince(nothing, MON)).toBe(false)
})

test('the code of an address is stored; another one replaces it, an address without one keeps it', () => {
  keepLinkedCode('?promo=blackfriday&utm_source=email')
  expect(read('promoCode')).toBe('blackfriday')
  keepLinkedCode('?utm_source=email&promo=a%20b')
  expect(read('promoCode')).toBe('blackfriday')
  keepLinkedCode('?afiliado=maria')
  expect(read('promoCode')).toBe('maria')
})

test('a promotional page stores the default code and its time, if there is no code', () => {
  keepDefaultCode()
  expect(read('promoCode')).toBe('novo')
  expect(Date.parse(read('promoCodeAt') ?? '')).toBeGreaterThan(0)
  write('promoCode', 'maria')
  keepDefaultCode()
  expect(read('promoCode')).toBe('maria')
})

test('an event that changes nothing writes nothing', () => {
  applyPromotion({ kind: 'linked', code: 'maria', at: TUE })
  applyPromotion({ kind: 'signed-in', code: 'novo', at: WED })
  expect([read('promoCode'), read('promoCodeAt')]).toEqual(['maria', TUE])
})
