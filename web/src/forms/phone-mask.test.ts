import { expect, test } from 'vitest'
import { isPhone, maskPhone, phoneDigits } from './phone-mask'

test('a WhatsApp number is stored as digits, at most 11', () => {
  expect(phoneDigits('(11) 98765-4321')).toBe('11987654321')
  expect(phoneDigits('119876543219')).toBe('11987654321')
  expect(phoneDigits('+55 (11) 98765-4321')).toBe('11987654321')
  expect(phoneDigits('abc')).toBe('')
})

test('the mask follows the typing', () => {
  expect(maskPhone('')).toBe('')
  expect(maskPhone('1')).toBe('(1')
  expect(maskPhone('11')).toBe('(11')
  expect(maskPhone('119')).toBe('(11) 9')
  expect(maskPhone('1198765')).toBe('(11) 98765')
  expect(maskPhone('11987654')).toBe('(11) 98765-4')
  expect(maskPhone('11987654321')).toBe('(11) 98765-4321')
  expect(maskPhone('1133334444')).toBe('(11) 3333-4444')
})

test.each([
  // A trunk zero, also with the code of a carrier behind it.
  ['011 98765-4321', '11987654321'],
  ['(011) 98765-4321', '11987654321'],
  ['0xx11 98765-4321', '11987654321'],
  ['021 11 98765-4321', '11987654321'],
  ['0 41 51 3333-4444', '5133334444'],
  ['(055) 98765-4321', '55987654321'],
  ['+55 0 11 98765-4321', '11987654321'],
  ['+55 015 71 98888-7777', '71988887777'],
  ['01198765432109', '11987654321'],
  // The country's code, behind a plus or zeros, or with the whole number.
  ['+55 (11) 98765-4321', '11987654321'],
  ['+5555987654321', '55987654321'],
  ['tel:+551133334444', '1133334444'],
  ['00 55 91 98111-2222', '91981112222'],
  ['5511987654321', '11987654321'],
  ['(55) 21 99876-5432', '21998765432'],
  ['wa.me/5585988887777', '85988887777'],
  ['555533221100', '5533221100'],
  // 55 is an area code too.
  ['55 98765-4321', '55987654321'],
  ['5533221100', '5533221100'],
  ['559876543212', '55987654321'],
  ['5599876543210', '55998765432'],
])('the phone %s is the number %s', (typed, digits) => {
  expect(phoneDigits(typed)).toBe(digits)
  expect(isPhone(typed)).toBe(true)
})

test.each([
  '98765-4321',
  '011 8765',
  '+55 98765-4321',
  '+1 212 555 1234',
  '0034 912 345 678',
  '(00) 0000-0000',
  '+',
])('the phone %s is refused', (typed) => expect(isPhone(typed)).toBe(false))

test('a number that begins with a plus or a zero is shown as typed', () => {
  expect(maskPhone('+')).toBe('+')
  expect(maskPhone('+55 11')).toBe('+5511')
  expect(maskPhone('021 1')).toBe('0211')
})
