import { expect, test } from 'vitest'
import { confirmationOf } from './confirmation'

const now = new Date('2026-11-21T12:00:00Z')
const later = new Date('2026-11-24T12:00:00Z')
const earlier = new Date('2026-11-10T12:00:00Z')

test('enquanto o teste corre, mostra até quando', () => {
  const trial = { kind: 'running' as const, end: later, firstChargeAt: null }
  expect(confirmationOf(trial, null, now)).toEqual({ kind: 'running', end: later })
})

test('quando o teste acaba com a página aberta, passa a dizer que terminou', () => {
  expect(confirmationOf({ kind: 'running', end: earlier, firstChargeAt: null }, later, now)).toEqual({
    kind: 'over',
    end: earlier,
  })
  expect(confirmationOf({ kind: 'over', end: earlier }, null, now)).toEqual({ kind: 'over', end: earlier })
})

test('quem assina não vê contagem de teste', () => {
  expect(confirmationOf({ kind: 'subscribed' }, later, now)).toEqual({ kind: 'subscribed' })
})

test('sem resposta vale a data guardada, e uma data passada não é veredito', () => {
  expect(confirmationOf({ kind: 'unknown' }, later, now)).toEqual({ kind: 'running', end: later })
  expect(confirmationOf({ kind: 'unknown' }, earlier, now)).toEqual({ kind: 'ready' })
  expect(confirmationOf({ kind: 'unknown' }, null, now)).toEqual({ kind: 'ready' })
})
