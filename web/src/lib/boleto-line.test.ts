import { expect, test } from 'vitest'
import { formatBoletoLine } from './boleto-line'

test('a linha digitável aparece como no boleto impresso', () => {
  expect(formatBoletoLine('23793381286000000000300000000401184340000012345')).toBe(
    '23793.38128 60000.000003 00000.000401 1 84340000012345',
  )
})

test('uma linha de outro tamanho aparece como veio', () => {
  expect(formatBoletoLine('123')).toBe('123')
})
