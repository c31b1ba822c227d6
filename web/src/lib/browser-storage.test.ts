import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as store from './browser-storage'
import { fakeStorage } from './fake-storage'

beforeEach(() => vi.stubGlobal('localStorage', fakeStorage()))
afterEach(() => {
  store.clearOnLogout()
  vi.unstubAllGlobals()
})

test('the end of a session deletes the clicks of its user, and without a user those of the visitor stay', () => {
  const clicks = '{"last":{}}'
  store.writeTab('adClicks', clicks)
  store.clearStoredUser()
  expect(store.readTab('adClicks')).toBe(clicks)

  store.write('adClicks', clicks)
  store.writeStoredUser({ uid: 'u1', email: 'a@x.co', name: 'A', phone: null, registeredAt: null })
  store.clearStoredUser()
  expect(store.read('adClicks')).toBeNull()
})

test('another person does not inherit the phone number of the previous one', () => {
  store.writeStoredUser({ uid: 'u1', email: 'a@x.co', name: 'A', phone: '11987654321', registeredAt: null })
  store.writeStoredUser({ uid: 'u2', email: 'b@x.co', name: 'B', phone: null, registeredAt: null })

  expect(store.readStoredUser()?.phone).toBeNull()
})

test('the password reset code stays in the tab only', () => {
  vi.stubGlobal('sessionStorage', fakeStorage())
  store.writeTab('resetCode', 'segredo')
  expect(store.readTab('resetCode')).toBe('segredo')
  expect(localStorage.getItem('resetCode')).toBeNull()

  store.writeTab('resetCode', null)
  expect(store.readTab('resetCode')).toBeNull()
})

test('an end of the hold that is no date counts as missing', () => {
  store.write('upsellEndTime', 'amanhã')
  expect(store.readUpsellEnd()).toBeNull()
  store.writeUpsellEnd(new Date('2026-11-21T12:15:00Z'))
  expect(store.read('upsellEndTime')).toBe('2026-11-21T12:15:00.000Z')
})
