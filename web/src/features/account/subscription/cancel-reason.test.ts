import { expect, test } from 'vitest'
import { cancelReason, roomFor } from './cancel-reason'

test('o motivo do cancelamento é opcional, da lista, em palavras livres ou os dois', () => {
  expect(cancelReason('', '  ')).toBeUndefined()
  expect(cancelReason('Uso pouco', '')).toBe('Uso pouco')
  expect(cancelReason('', ' Volto em janeiro. ')).toBe('Volto em janeiro.')
  expect(cancelReason('Uso pouco', 'Volto em janeiro.')).toBe('Uso pouco: Volto em janeiro.')
})

test('o motivo nunca passa dos 500 caracteres que o servidor guarda', () => {
  expect(roomFor('')).toBe(500)
  for (const choice of ['', 'Vou usar outra ferramenta'])
    expect(cancelReason(choice, 'x'.repeat(900))).toHaveLength(500)
})
