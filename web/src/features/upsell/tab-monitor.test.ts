import { expect, test } from 'vitest'
import type { Outcome } from '../../lib/checkout-outcome'
import { type End, type Happening, look, type Monitor, next, watching } from './tab-monitor'

const run = (...happenings: Happening[]) => happenings.reduce<Monitor>(next, watching)
const startOf = (end: End): Happening =>
  end === 'succeeded' || end === 'given-up' ? { kind: end } : { kind: 'seen', sighting: end }
const endOf = (end: End, outcome: Outcome) => run(startOf(end), { kind: 'answered', outcome })

const SITE = 'https://garimpo.example'
const at = (href: string) => ({ closed: false, location: { href } })
const elsewhere = {
  closed: false,
  get location(): never {
    throw new DOMException('cross-origin', 'SecurityError')
  },
}

test('nothing happens while the tab is at the checkout', () => {
  expect(run({ kind: 'seen', sighting: 'at-checkout' }, { kind: 'seen', sighting: 'at-checkout' })).toEqual(
    watching,
  )
})

test('each end first reads the checkout from the server', () => {
  for (const end of ['closed', 'left', 'unreadable', 'succeeded', 'given-up'] as const)
    expect(run(startOf(end))).toEqual({ kind: 'asking', end, attempt: 1 })
})

test('a paid checkout leads to the success page and a boleto to the waiting page, whatever the end', () => {
  for (const end of ['closed', 'left', 'unreadable', 'succeeded', 'given-up'] as const) {
    expect(endOf(end, 'paid')).toEqual({ kind: 'ended', path: '/payment-success', finished: true })
    expect(endOf(end, 'awaiting')).toEqual({ kind: 'ended', path: '/payment-awaited', finished: true })
  }
})

test('without a purchase, the way the tab ended decides the next page', () => {
  expect(endOf('closed', 'open')).toEqual({ kind: 'ended', path: '/payment-canceled', finished: false })
  expect(endOf('left', 'expired')).toEqual({ kind: 'ended', path: '/payment-canceled', finished: false })
  expect(endOf('unreadable', 'open')).toEqual({ kind: 'ended', path: '/payment-awaited', finished: true })
  expect(endOf('given-up', 'open')).toEqual({ kind: 'ended', path: null, finished: false })
})

test('without a response the server is called three times, then the way the tab ended decides', () => {
  const twice = run(
    startOf('succeeded'),
    { kind: 'unanswered', hasSession: true },
    { kind: 'unanswered', hasSession: true },
  )
  expect(twice).toEqual({ kind: 'asking', end: 'succeeded', attempt: 3 })
  expect(next(twice, { kind: 'unanswered', hasSession: true })).toEqual({
    kind: 'ended',
    path: '/payment-success',
    finished: true,
  })
})

test('the success message overrides the closed tab before it', () => {
  expect(run(startOf('closed'), { kind: 'succeeded' })).toMatchObject({ kind: 'asking', end: 'succeeded' })
})

test('nothing changes after the end', () => {
  const ended = endOf('closed', 'open')
  expect(next(ended, { kind: 'succeeded' })).toBe(ended)
})

test('the address of the tab gives its state', () => {
  expect(look(at('about:blank'), SITE)).toBe('at-checkout')
  expect(look(at(`${SITE}/checkout`), SITE)).toBe('at-checkout')
  expect(look(at(`${SITE}/checkout/?x=1`), SITE)).toBe('at-checkout')
  expect(look(at(`${SITE}/planos`), SITE)).toBe('left')
  expect(look(elsewhere, SITE)).toBe('unreadable')
  expect(look({ ...at(''), closed: true }, SITE)).toBe('closed')
})

test('without an answer and without a checkout that this page knows of, the offers stay', () => {
  const unanswered = { kind: 'unanswered', hasSession: false } as const
  const after = (end: End) => run(startOf(end), unanswered, unanswered, unanswered)
  for (const end of ['closed', 'left', 'unreadable'] as const) expect(after(end)).toEqual({ kind: 'offline' })
  expect(after('succeeded')).toMatchObject({ path: '/payment-success', finished: true })
  expect(after('given-up')).toEqual({ kind: 'ended', path: null, finished: false })
  expect(next(after('closed'), { kind: 'given-up' })).toEqual({ kind: 'ended', path: null, finished: false })
})
