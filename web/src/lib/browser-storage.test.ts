import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as store from './browser-storage'

const plan: store.SelectedPlan = {
  name: 'Elite Nível 1',
  price: 'R$ 97,90',
  period: '/mês',
  priceRaw: '97.90',
  interval: 'month',
  couponCode: null,
  couponId: 'blacknovember',
}

function fakeStorage(initial: Record<string, string> = {}) {
  const values = new Map(Object.entries(initial))
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  }
}

beforeEach(() => vi.stubGlobal('localStorage', fakeStorage()))
afterEach(() => {
  store.clearOnLogout()
  vi.unstubAllGlobals()
})

test('the chosen plan is stored as JSON with fixed names', () => {
  store.writeSelectedPlan(plan)

  expect(JSON.parse(localStorage.getItem('selectedPlan') ?? '')).toEqual(plan)
  expect(store.readSelectedPlan()).toEqual(plan)
})

test('an unreadable stored plan counts as missing', () => {
  for (const bad of ['', '{', '[]', '{"name":"Elite"}', '"texto"', 'null']) {
    vi.stubGlobal('localStorage', fakeStorage({ selectedPlan: bad }))
    expect(store.readSelectedPlan()).toBeNull()
  }
})

test('with blocked storage, values last as long as the page', () => {
  vi.stubGlobal('localStorage', {
    getItem: () => {
      throw new DOMException('blocked', 'SecurityError')
    },
    setItem: () => {
      throw new DOMException('blocked', 'SecurityError')
    },
    removeItem: () => {
      throw new DOMException('blocked', 'SecurityError')
    },
  })

  store.writeSelectedPlan(plan)
  expect(store.readSelectedPlan()).toEqual(plan)

  store.clearSelectedPlan()
  expect(store.readSelectedPlan()).toBeNull()
})

test('forgetting the plan also forgets the return address and the hold', () => {
  store.writeSelectedPlan(plan)
  store.write('loginRedirectUrl', '/upsell')
  store.writeUpsellEnd(new Date('2026-11-21T12:15:00Z'))

  store.clearSelectedPlan()

  expect(store.read('loginRedirectUrl')).toBeNull()
  expect(store.read('upsellEndTime')).toBeNull()
})

test('a choice that was set aside stays until another choice, a payment or the sign-out', () => {
  const isSetAside = () => {
    store.writeSelectedPlan(plan)
    store.setSelectedPlanAside()
    expect(store.readSelectedPlan()).toBeNull()
    // Another page opens without a choice: the one that was set aside stays.
    store.setSelectedPlanAside()
    expect(store.readClearedPlan()).toEqual(plan)
  }
  for (const end of [
    () => store.writeSelectedPlan({ ...plan, name: 'Top Afiliado' }),
    () => store.clearPurchase(null),
    () => store.clearOnLogout(),
  ]) {
    isSetAside()
    end()
    expect(store.readClearedPlan()).toBeNull()
  }
})

test('a choice that was set aside in one tab is also offered in a tab opened later', async () => {
  store.writeSelectedPlan(plan)
  store.setSelectedPlanAside()
  vi.stubGlobal('sessionStorage', fakeStorage())
  vi.resetModules()
  expect((await import('./browser-storage')).readClearedPlan()).toEqual(plan)
})

test('a paid purchase forgets the plan and its own checkout, not one opened later', () => {
  store.writeSelectedPlan(plan)
  store.write('checkoutClientSecret', 'cs_1_secret_x')
  store.clearPurchase('cs_2')
  expect(store.readSelectedPlan()).toBeNull()
  expect(store.read('checkoutClientSecret')).toBe('cs_1_secret_x')
  store.clearPurchase('cs_1')
  expect(store.read('checkoutClientSecret')).toBeNull()
})

test('the sign-out deletes the person and the purchase, and keeps the source of the visit', () => {
  store.writeStoredUser({
    uid: 'u1',
    email: 'ana@exemplo.com',
    name: 'Ana',
    phone: '11987654321',
    registeredAt: new Date(0),
  })
  store.writeSelectedPlan(plan)
  store.write('checkoutClientSecret', 'cs_secret')
  store.write('utm_source', 'instagram')

  store.clearOnLogout()

  expect(store.readStoredUser()).toBeNull()
  expect(store.readSelectedPlan()).toBeNull()
  expect(store.read('checkoutClientSecret')).toBeNull()
  expect(store.read('utm_source')).toBe('instagram')
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

test('a plan stored by this tab is gone after a sign-out in another, also without the storage event', async () => {
  const kept = { selectedPlan: JSON.stringify(plan), holder: 'usr_1' }
  const planWhile = async (uid: string | null) => {
    vi.stubGlobal('sessionStorage', fakeStorage(kept))
    vi.stubGlobal('localStorage', fakeStorage(uid ? { uid } : {}))
    vi.resetModules()
    return (await import('./browser-storage')).readSelectedPlan()
  }

  expect(await planWhile('usr_1')).toEqual(plan)
  expect(await planWhile(null)).toBeNull()
  expect(await planWhile('usr_2')).toBeNull()
})
