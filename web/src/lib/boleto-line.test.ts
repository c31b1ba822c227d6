import { expect, test } from 'vitest'
import { formatBoletoLine } from './boleto-line'

test('the line is shown as on a printed boleto', () => {
  expect(formatBoletoLine('23793381286000000000300000000401184340000012345')).toBe(
    '23793.38128 60000.000003 00000.000401 1 84340000012345',
  )
})

test('a line of another length is shown unchanged', () => {
  expect(formatBoletoLine('123')).toBe('123')
})
