import { beforeEach, expect, test, vi } from 'vitest'
import { remove, write } from '../lib/browser-storage'
import { toDate, toTimestamp } from '../lib/dates'
import { consent as texts } from '../texts/consent'
import {
  adoptAccountConsent,
  adsAllowed,
  consentMessage,
  isConsentSent,
  markConsentSent,
  readConsent,
  writeConsent,
} from './consent'

beforeEach(() => remove('adsConsent', 'consentTold', 'uid'))
vi.stubGlobal('location', { hostname: 'garimpo.example' })
vi.stubGlobal('document', { cookie: '' })

test('without an answer, ads are not allowed and calls carry no consent', () => {
  expect(adsAllowed()).toBe(false)
  expect(consentMessage()).toBeUndefined()
  expect(isConsentSent('usr_1')).toBe(true)
})

test('the answer has the text version and the time, and each account receives it once', () => {
  write('uid', 'usr_1')
  writeConsent(true)

  expect(adsAllowed()).toBe(true)
  expect(consentMessage()).toMatchObject({ adsAllowed: true, textVersion: texts.version })
  expect(isConsentSent('usr_1')).toBe(false)
  markConsentSent('usr_1', consentMessage())
  expect(isConsentSent('usr_1')).toBe(true)
  expect(isConsentSent('usr_2')).toBe(false)
})

test('an answer given while the earlier one is in flight is unsent, and newer by any clock', () => {
  vi.useFakeTimers({ now: new Date('2026-11-22T12:00:00Z') })
  write('uid', 'usr_1')
  writeConsent(true)
  const inFlight = consentMessage()
  vi.setSystemTime(new Date('2026-11-22T11:00:00Z'))
  writeConsent(false)
  markConsentSent('usr_1', inFlight)

  expect(adsAllowed()).toBe(false)
  expect(isConsentSent('usr_1')).toBe(false)
  expect(toDate(consentMessage()?.at)?.getTime()).toBeGreaterThan(toDate(inFlight?.at)?.getTime() ?? 0)
  markConsentSent('usr_1', consentMessage())
  expect(isConsentSent('usr_1')).toBe(true)
  vi.useRealTimers()
})

test('the consent of an account that arrives after its sign-out replaces nothing', () => {
  write('uid', 'usr_ana')
  writeConsent(true)
  const inFlight = consentMessage()
  remove('uid')
  writeConsent(false)
  const at = {
    $typeName: 'google.protobuf.Timestamp' as const,
    ...toTimestamp(new Date(Date.now() + 60_000)),
  }
  adoptAccountConsent(
    { $typeName: 'garimpo.tracking.v1.Consent', adsAllowed: true, textVersion: texts.version, at },
    'usr_ana',
  )
  markConsentSent('usr_ana', inFlight)

  expect(readConsent()?.allowed).toBe(false)
  expect(isConsentSent('usr_bia')).toBe(false)
})

test('an answer to another text, older than a year or malformed is ignored', () => {
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

test('the yes of an account applies to nobody else; its no also applies to visits without an account', () => {
  for (const allowed of [true, false]) {
    write('uid', 'usr_ana')
    writeConsent(allowed)
    markConsentSent('usr_ana', consentMessage())
    expect(readConsent()?.allowed).toBe(allowed)

    write('uid', 'usr_bia')
    expect(readConsent()).toBeNull()
    expect(consentMessage()).toBeUndefined()
    remove('uid')
    expect(readConsent()?.allowed).toBe(allowed ? undefined : false)
    expect(consentMessage()).toBeUndefined()
  }
})

test('the consent of the account replaces an older one or that of another account, not a newer one', () => {
  const consentOf = (adsAllowed: boolean, agoMs: number) => ({
    $typeName: 'garimpo.tracking.v1.Consent' as const,
    adsAllowed,
    textVersion: texts.version,
    at: { $typeName: 'google.protobuf.Timestamp' as const, ...toTimestamp(new Date(Date.now() - agoMs)) },
  })
  write('uid', 'usr_ana')
  writeConsent(true)
  markConsentSent('usr_ana', consentMessage())
  adoptAccountConsent(consentOf(false, 60_000), 'usr_ana')
  expect(adsAllowed()).toBe(true)
  adoptAccountConsent(consentOf(false, -60_000), 'usr_ana')
  expect(adsAllowed()).toBe(false)
  expect(isConsentSent('usr_ana')).toBe(true)

  write('uid', 'usr_bia')
  adoptAccountConsent(undefined, 'usr_bia')
  expect(readConsent()).toBeNull()
  adoptAccountConsent(consentOf(true, 86_400_000), 'usr_bia')
  expect(adsAllowed()).toBe(true)
})
