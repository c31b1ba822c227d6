import { expect, test } from 'vitest'
import { maskPhone, phoneDigits } from './phone-mask'

test('o WhatsApp guarda só dígitos, no máximo 11', () => {
  expect(phoneDigits('(11) 98765-4321')).toBe('11987654321')
  expect(phoneDigits('119876543219')).toBe('11987654321')
  expect(phoneDigits('+55 (11) 98765-4321')).toBe('11987654321')
  expect(phoneDigits('abc')).toBe('')
})

test('a máscara acompanha a digitação', () => {
  expect(maskPhone('')).toBe('')
  expect(maskPhone('1')).toBe('(1')
  expect(maskPhone('11')).toBe('(11')
  expect(maskPhone('119')).toBe('(11) 9')
  expect(maskPhone('1198765')).toBe('(11) 98765')
  expect(maskPhone('11987654')).toBe('(11) 98765-4')
  expect(maskPhone('11987654321')).toBe('(11) 98765-4321')
  expect(maskPhone('1133334444')).toBe('(11) 3333-4444')
})
