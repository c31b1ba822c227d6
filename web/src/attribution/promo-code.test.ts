import { afterEach, expect, test } from 'vitest'
import { read, remove } from '../lib/browser-storage'
import { keepPromoCodeOf, promoCodeOf } from './promo-code'

afterEach(() => remove('promoCode', 'promoCodeAt'))

test('the code comes from promo, parceiro or afiliado, in this order', () => {
  expect(promoCodeOf('?afiliado=c&parceiro=b&promo=a')).toBe('a')
  expect(promoCodeOf('?afiliado=c&parceiro=b')).toBe('b')
  expect(promoCodeOf('?afiliado=c')).toBe('c')
  expect(promoCodeOf('?promo=%20&afiliado=c')).toBe('c')
  expect(promoCodeOf('?campaign=x&ref=y')).toBeNull()
})

test('a code has 1 to 32 letters, digits, _ or -, with or without accents', () => {
  expect(promoCodeOf('?promo=Jo%C3%A3o')).toBe('João')
  expect(promoCodeOf(`?promo=${'a'.repeat(32)}`)).toBe('a'.repeat(32))
  for (const wrong of ['a'.repeat(33), 'a b', '<b>', 'a%2Fb', ''])
    expect(promoCodeOf(`?promo=${wrong}`)).toBeNull()
})

test('the code of an address is stored; another one replaces it, an address without one keeps it', () => {
  keepPromoCodeOf('?promo=blackfriday&utm_source=email')
  expect(read('promoCode')).toBe('blackfriday')
  keepPromoCodeOf('?utm_source=email&promo=a%20b')
  expect(read('promoCode')).toBe('blackfriday')
  keepPromoCodeOf('?afiliado=maria')
  expect(read('promoCode')).toBe('maria')
})
