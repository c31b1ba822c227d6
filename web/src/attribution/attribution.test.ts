import { readFileSync } from 'node:fs'
import { beforeEach, expect, test, vi } from 'vitest'
import { read, remove, write, writeTab } from '../lib/browser-storage'
import {
  attributionMessage,
  attributionOf,
  clicksOf,
  isPersonal,
  readTouch,
  recordArrival,
  sourceOf,
} from './attribution'

vi.stubGlobal('document', { cookie: '' })

const SITE = 'https://garimpo.example'
const touch = (query: string, referrer = '', returns = false) =>
  attributionOf(`${SITE}/planos${query}`, referrer, returns)

beforeEach(() => {
  remove('firstTouch', 'lastTouch', 'campaign_id', 'referral')
  remove('utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content')
})

test('the source comes from the address and the referrer, and our own site is no source', () => {
  expect(touch('?utm_source=instagram&utm_medium=bio&campaign=verao&ref=ana&parceiro=MARIA')).toMatchObject({
    utm_source: 'instagram',
    utm_medium: 'bio',
    campaign_id: 'verao',
    referral: 'ana',
    promo: 'MARIA',
  })
  expect(touch('', 'https://l.instagram.com/?u=x')).toMatchObject({ referrer_host: 'l.instagram.com' })
  expect(touch('', `${SITE}/`)).toBeNull()
  expect(touch('?outro=1')).toBeNull()
})

test('a bare referrer is ignored for returning visitors, webmail and the payment provider', () => {
  for (const host of [
    'outlook.live.com',
    'mail.google.com',
    'br.mail.yahoo.com',
    'webmail.uol.com.br',
    'checkout.stripe.com',
  ])
    expect(touch('', `https://${host}/`), host).toBeNull()
  expect(touch('', 'https://www.google.com/', true)).toBeNull()
  expect(touch('', 'https://gmail-dicas.example/')).toMatchObject({ referrer_host: 'gmail-dicas.example' })
  // A source in the address counts nevertheless.
  expect(touch('?utm_source=news', 'https://mail.google.com/', true)).toMatchObject({ utm_source: 'news' })
})

test('an empty or too long value, or one with invisible characters, is not stored', () => {
  expect(touch('?utm_source=%20&utm_medium=')).toBeNull()
  expect(touch(`?utm_source=${'x'.repeat(201)}`)).toBeNull()
  for (const unseen of ['\0', '\u202e', '\u200b', '\ufeff', '\u{e0041}'])
    expect(touch(`?utm_source=a${encodeURIComponent(unseen)}b`)).toBeNull()
})

test('a Meta click id is stored in the format of Meta with the time, and a Google one unchanged', () => {
  const { fbc, gclid } = clicksOf(`${SITE}/?fbclid=IwAR2F4-dbP0&gclid=Cj0KCQ_x-y`)
  expect(fbc).toMatch(/^fb\.1\.\d{13}\.IwAR2F4-dbP0$/)
  expect(gclid).toBe('Cj0KCQ_x-y')
  expect(clicksOf(`${SITE}/?fbclid=%3Cscript%3E&gclid=${'x'.repeat(501)}`)).toEqual({})
})

test('an email or phone number in an address is not stored, by the rule of the server', () => {
  const cases: [string, boolean][] = JSON.parse(
    readFileSync(new URL('../../../tests/vectors/personal.json', import.meta.url), 'utf8'),
  )
  for (const [text, personal] of cases) expect(isPersonal(text), text).toBe(personal)
  expect(touch('?utm_source=instagram&utm_content=maria%40exemplo.com&utm_term=11987654321')).toEqual({
    at: expect.any(String),
    utm_source: 'instagram',
  })
})

test('an ad click is a touch of its platform; a source named in the address takes precedence', () => {
  const clicked = touch('?fbclid=IwAR2F4-dbP0')
  expect(clicked).toMatchObject({ clicked: 'meta' })
  expect(sourceOf({ at: '', clicked: 'meta', referrer_host: 'l.facebook.com' })).toBe('meta ads')
  expect(sourceOf({ at: '', clicked: 'google', referral: 'ana' })).toBe('ref:ana')
  expect(sourceOf({ at: '', utm_source: 'instagram', clicked: 'meta' })).toBe('instagram')
})

test('the ids of the first and of the last click are stored separately and whole', () => {
  writeTab('adClicks', null)
  recordArrival(null, { fbc: 'fb.1.1790000000000.um' })
  recordArrival(null, { gclid: 'dois' })

  expect(attributionMessage(true)).toMatchObject({
    clicks: { fbc: '', gclid: 'dois' },
    firstClicks: { fbc: 'fb.1.1790000000000.um' },
  })
  expect(attributionMessage(true)?.firstClicks?.gclid).toBeUndefined()
  writeTab('adClicks', null)
})

test('the first touch stays; the last touch is replaced as a whole, under fixed storage keys', () => {
  recordArrival(touch('?utm_source=instagram&utm_medium=bio&ref=ana'), {})
  recordArrival(touch('?utm_source=google'), {})

  expect(readTouch('firstTouch')).toMatchObject({ utm_source: 'instagram', referral: 'ana' })
  expect(readTouch('lastTouch')).toMatchObject({ utm_source: 'google' })
  expect([read('utm_source'), read('utm_medium'), read('referral')]).toEqual(['google', null, null])
  recordArrival(touch('?utm_source=s&utm_medium=m&utm_campaign=c&utm_term=t&utm_content=o'), {})
  const names = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const
  expect(names.map((name) => read(name))).toEqual(['s', 'm', 'c', 't', 'o'])
  expect(attributionMessage(false)?.first).toMatchObject({ utmSource: 'instagram', utmMedium: 'bio' })
  expect(attributionMessage(false)?.clicks).toBeUndefined()
})

test('a bare link from another site does not replace the campaign that brought the visitor', () => {
  recordArrival(touch('', 'https://www.google.com/'), {})
  recordArrival(touch('?utm_source=instagram'), {})
  recordArrival(touch('', 'https://mail.google.com/'), {})

  expect(readTouch('firstTouch')?.referrer_host).toBe('www.google.com')
  expect(readTouch('lastTouch')?.utm_source).toBe('instagram')
})

test('a click counts for 90 days; after that, the next click is the first one', () => {
  vi.useFakeTimers({ now: new Date('2026-06-01T12:00:00Z') })
  writeTab('adClicks', null)
  recordArrival(null, clicksOf(`${SITE}/?fbclid=velho&gclid=velho`))
  vi.setSystemTime(new Date('2026-08-30T11:59:00Z'))
  expect(attributionMessage(true)?.clicks?.gclid).toBe('velho')
  vi.setSystemTime(new Date('2026-08-30T12:00:00Z'))
  expect(attributionMessage(true)).toMatchObject({ clicks: { fbc: '', gclid: '' }, firstClicks: undefined })

  recordArrival(null, { gclid: 'novo' })

  expect(attributionMessage(true)).toMatchObject({
    clicks: { fbc: '', gclid: 'novo' },
    firstClicks: { gclid: 'novo' },
  })
  writeTab('adClicks', null)
  vi.useRealTimers()
})

test('a touch counts for 90 days', () => {
  const old = new Date(Date.now() - 91 * 86_400_000).toISOString()
  write('firstTouch', JSON.stringify({ at: old, utm_source: 'velho' }))
  expect(readTouch('firstTouch')).toBeNull()
  write('firstTouch', 'x')
  expect(readTouch('firstTouch')).toBeNull()

  recordArrival(touch('?utm_source=novo'), {})

  expect(readTouch('firstTouch')?.utm_source).toBe('novo')
})
