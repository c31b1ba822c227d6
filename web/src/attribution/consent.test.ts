import { beforeEach, expect, test, vi } from 'vitest'
import { remove, write } from '../lib/browser-storage'
import { toDate, toTimestamp } from '../lib/dates'
import { consent as texts } from '../texts/consent'
import {
  adsAllowed,
  consentMessage,
  isConsentTold,
  markConsentTold,
  readConsent,
  takeOver,
  writeConsent,
} from './consent'

beforeEach(() => remove('adsConsent', 'consentTold', 'uid'))
vi.stubGlobal('location', { hostname: 'garimpo.example' })
vi.stubGlobal('document', { cookie: '' })

test('sem resposta nada é permitido, e nada vai com as chamadas', () => {
  expect(adsAllowed()).toBe(false)
  expect(consentMessage()).toBeUndefined()
  expect(isConsentTold('usr_1')).toBe(true)
})

test('a resposta leva a versão do texto e a hora, e a conta ouve cada uma uma vez', () => {
  write('uid', 'usr_1')
  writeConsent(true)

  expect(adsAllowed()).toBe(true)
  expect(consentMessage()).toMatchObject({ adsAllowed: true, textVersion: texts.version })
  expect(isConsentTold('usr_1')).toBe(false)
  markConsentTold('usr_1', consentMessage())
  expect(isConsentTold('usr_1')).toBe(true)
  expect(isConsentTold('usr_2')).toBe(false)
})

test('a resposta dada enquanto a anterior ia a caminho ainda não foi ouvida, e vale mais que ela em qualquer relógio', () => {
  vi.useFakeTimers({ now: new Date('2026-11-22T12:00:00Z') })
  write('uid', 'usr_1')
  writeConsent(true)
  const onItsWay = consentMessage()
  vi.setSystemTime(new Date('2026-11-22T11:00:00Z'))
  writeConsent(false)
  markConsentTold('usr_1', onItsWay)

  expect(adsAllowed()).toBe(false)
  expect(isConsentTold('usr_1')).toBe(false)
  expect(toDate(consentMessage()?.at)?.getTime()).toBeGreaterThan(toDate(onItsWay?.at)?.getTime() ?? 0)
  markConsentTold('usr_1', consentMessage())
  expect(isConsentTold('usr_1')).toBe(true)
  vi.useRealTimers()
})

test('a resposta de uma conta que chega depois de ela sair não toma o lugar de nenhuma', () => {
  write('uid', 'usr_ana')
  writeConsent(true)
  const onItsWay = consentMessage()
  remove('uid')
  writeConsent(false)
  const at = {
    $typeName: 'google.protobuf.Timestamp' as const,
    ...toTimestamp(new Date(Date.now() + 60_000)),
  }
  takeOver(
    { $typeName: 'garimpo.tracking.v1.Consent', adsAllowed: true, textVersion: texts.version, at },
    'usr_ana',
  )
  markConsentTold('usr_ana', onItsWay)

  expect(readConsent()?.allowed).toBe(false)
  expect(isConsentTold('usr_bia')).toBe(false)
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

test('o sim de uma conta não vale para outra nem para quem vem depois; a recusa vale só para visitas de ninguém', () => {
  for (const allowed of [true, false]) {
    write('uid', 'usr_ana')
    writeConsent(allowed)
    markConsentTold('usr_ana', consentMessage())
    expect(readConsent()?.allowed).toBe(allowed)

    write('uid', 'usr_bia')
    expect(readConsent()).toBeNull()
    expect(consentMessage()).toBeUndefined()
    remove('uid')
    expect(readConsent()?.allowed).toBe(allowed ? undefined : false)
    expect(consentMessage()).toBeUndefined()
  }
})

test('a resposta da própria conta toma o lugar da mais antiga e da de outra conta, e não o da mais nova', () => {
  const stands = (adsAllowed: boolean, agoMs: number) => ({
    $typeName: 'garimpo.tracking.v1.Consent' as const,
    adsAllowed,
    textVersion: texts.version,
    at: { $typeName: 'google.protobuf.Timestamp' as const, ...toTimestamp(new Date(Date.now() - agoMs)) },
  })
  write('uid', 'usr_ana')
  writeConsent(true)
  markConsentTold('usr_ana', consentMessage())
  takeOver(stands(false, 60_000), 'usr_ana')
  expect(adsAllowed()).toBe(true)
  takeOver(stands(false, -60_000), 'usr_ana')
  expect(adsAllowed()).toBe(false)
  expect(isConsentTold('usr_ana')).toBe(true)

  write('uid', 'usr_bia')
  takeOver(undefined, 'usr_bia')
  expect(readConsent()).toBeNull()
  takeOver(stands(true, 86_400_000), 'usr_bia')
  expect(adsAllowed()).toBe(true)
})
