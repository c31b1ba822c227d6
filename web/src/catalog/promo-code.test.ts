import { expect, test } from 'vitest'
import { promoCodeOf } from './promo-code'

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
