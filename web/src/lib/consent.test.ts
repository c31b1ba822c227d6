import { beforeEach, expect, test } from 'vitest'
import { consent as texts } from '../texts/consent'
import { remove, write } from './browser-storage'
import {
  adsAllowed,
  consentMessage,
  isConsentTold,
  markConsentTold,
  readConsent,
  writeConsent,
} from './consent'

beforeEach(() => remove('adsConsent', 'consentTold'))

test('sem resposta nada é permitido, e nada vai com as chamadas', () => {
  expect(adsAllowed()).toBe(false)
  expect(consentMessage()).toBeUndefined()
  expect(isConsentTold('usr_1')).toBe(true)
})

test('a resposta leva a versão do texto e a hora, e a conta ouve cada uma uma vez', () => {
  writeConsent(true)

  expect(adsAllowed()).toBe(true)
  expect(consentMessage()).toMatchObject({ adsAllowed: true, textVersion: texts.version })
  expect(isConsentTold('usr_1')).toBe(false)
  markConsentTold('usr_1')
  expect(isConsentTold('usr_1')).toBe(true)
  expect(isConsentTold('usr_2')).toBe(false)
})

test('resposta a outro texto, de mais de um ano ou torta não vale', () => {
  const answer = (change: object) =>
    write('adsConsent', JSON.stringify({ allowed: true, version: texts.version, at: new Date(), ...change }))
  answer({})
  expect(readConsent()?.allowed).toBe(true)
  for (const change of [
    { version: '2020-01' },
    { at: new Date(Date.now() - 366 * 86_400_000) },
    { at: 'ontem' },
    { allowed: 'sim' },
  ]) {
    answer(change)
    expect(readConsent(), JSON.stringify(change)).toBeNull()
  }
  write('adsConsent', '{')
  expect(adsAllowed()).toBe(false)
})
