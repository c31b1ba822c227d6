import { afterEach, expect, test } from 'vitest'
import { read, remove } from '../lib/browser-storage'
import { keepPromoCodeOf, promoCodeOf } from './promo-code'

afterEach(() => remove('promoCode', 'promoCodeAt'))

test('o código vem de promo, parceiro ou afiliado, nesta ordem', () => {
  expect(promoCodeOf('?afiliado=c&parceiro=b&promo=a')).toBe('a')
  expect(promoCodeOf('?afiliado=c&parceiro=b')).toBe('b')
  expect(promoCodeOf('?afiliado=c')).toBe('c')
  expect(promoCodeOf('?promo=%20&afiliado=c')).toBe('c')
  expect(promoCodeOf('?campaign=x&ref=y')).toBeNull()
})

test('um código tem de 1 a 32 letras, números, _ ou -, com ou sem acento', () => {
  expect(promoCodeOf('?promo=Jo%C3%A3o')).toBe('João')
  expect(promoCodeOf(`?promo=${'a'.repeat(32)}`)).toBe('a'.repeat(32))
  for (const wrong of ['a'.repeat(33), 'a b', '<b>', 'a%2Fb', ''])
    expect(promoCodeOf(`?promo=${wrong}`)).toBeNull()
})

test('o código de um endereço é guardado; outro o substitui, e um endereço sem código o deixa', () => {
  keepPromoCodeOf('?promo=blackfriday&utm_source=email')
  expect(read('promoCode')).toBe('blackfriday')
  keepPromoCodeOf('?utm_source=email&promo=a%20b')
  expect(read('promoCode')).toBe('blackfriday')
  keepPromoCodeOf('?afiliado=maria')
  expect(read('promoCode')).toBe('maria')
})
