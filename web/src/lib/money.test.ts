import { expect, test } from 'vitest'
import { centavosOf, formatCentavos, priceParts, priceRaw, storedPrice } from './money'

test('centavos become a price in reais with comma and thousands separator', () => {
  expect(formatCentavos(9_790)).toBe('R$\u00a097,90')
  expect(formatCentavos(104_790)).toBe('R$\u00a01.047,90')
  expect(formatCentavos(123_456_789n)).toBe('R$\u00a01.234.567,89')
  expect(formatCentavos(5)).toBe('R$\u00a00,05')
  expect(formatCentavos(-2_000)).toBe('-R$\u00a020,00')
  expect(storedPrice(104_790)).toBe('R$ 1.047,90')
})

test('the parts of a price separate the centavos', () => {
  expect(priceParts(19_790)).toEqual({ sign: '', whole: '197', cents: '90' })
})

test('priceRaw is a number as text with a decimal point', () => {
  expect(priceRaw(9_790)).toBe('97.90')
  expect(priceRaw(104_790)).toBe('1047.90')
})

test('priceRaw is converted back to centavos', () => {
  expect(centavosOf('97.90')).toBe(9_790n)
  expect(centavosOf('1047.9')).toBe(104_790n)
  expect(centavosOf('97')).toBe(9_700n)
  for (const bad of ['', '97,90', '97.901', '-1.00', 'abc']) expect(centavosOf(bad)).toBeNull()
})
