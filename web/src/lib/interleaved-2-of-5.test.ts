import { expect, test } from 'vitest'
import { interleaved2of5 } from './interleaved-2-of-5'

/** Narrow as 1 and wide as 2, as the library bwip-js 4.11 writes them. */
const KNOWN = {
  '0123456789': '111112112121121222111121121122112111212112122112112211211',
  '00191843400000123450000000000000000000000012':
    '111111112222112112111221221111122112122111211111221221111122221111112222112112111122212112111221112212111111222211' +
    '11112222111111222211111122221111112222111111222211111122221111112222111111222211111122221111112222112112111122211',
}

const encode = (digits: string) =>
  interleaved2of5(digits)
    ?.map((width) => (width === 3 ? 2 : 1))
    .join('')

test('the bars are those that an independent library draws', () => {
  for (const [digits, widths] of Object.entries(KNOWN)) expect(encode(digits), digits).toBe(widths)
})

test('the 44 digits of a boleto take 405 modules', () => {
  const widths = interleaved2of5('0'.repeat(44)) ?? []
  expect(widths.reduce((sum, width) => sum + width)).toBe(405)
})

test('only an even number of digits becomes bars', () => {
  for (const wrong of ['', '123', '12a4', '1234 5678']) expect(interleaved2of5(wrong), wrong).toBeNull()
})
