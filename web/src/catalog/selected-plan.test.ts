import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as store from '../lib/browser-storage'
import { fakeStorage } from '../lib/fake-storage'
import { type CardPlan, cardGroups, plansOnCards } from './catalog'
import { campaignDeals } from './deals'
import {
  cardChoice,
  parseStoredPlan,
  readClearedPlan,
  readSelectedPlan,
  type SelectedPlan,
  type StoredPlan,
  toStoredPlan,
  writeSelectedPlan,
} from './selected-plan'

function planNamed(name: string): CardPlan {
  const plan = plansOnCards.find((each) => each.name === name)
  if (!plan) throw new Error(`no ${name} on the cards`)
  return plan
}

test('the cards are Top Afiliado, Elite 1 to 3 and Elite PRO 1 to 6', () => {
  expect(cardGroups.map(({ name, plans }) => [name, ...plans.map(({ tab }) => tab)])).toEqual([
    ['Top Afiliado', null],
    ['Elite', 'Nível 1', 'Nível 2', 'Nível 3'],
    ['Elite PRO', 'PRO 1', 'PRO 2', 'PRO 3', 'PRO 4', 'PRO 5', 'PRO 6'],
  ])
})

test('outside the campaign the chosen plan has the monthly price and no coupon', () => {
  const plan = planNamed('Elite Nível 2')

  expect(toStoredPlan(cardChoice(plan, campaignDeals('none')(plan)))).toEqual({
    name: 'Elite Nível 2',
    price: 'R$ 217,90',
    period: '/mês',
    priceRaw: '217.90',
    interval: 'month',
    couponCode: null,
    couponId: null,
  })
})

test('in Black November Elite Nível 1 has the price of Top Afiliado and the coupon', () => {
  const plan = planNamed('Elite Nível 1')

  expect(toStoredPlan(cardChoice(plan, campaignDeals('black-november')(plan)))).toMatchObject({
    price: 'R$ 97,90',
    priceRaw: '97.90',
    couponId: 'blacknovember',
  })
})

test('in Black November Elite PRO costs 100 reais less in the first month', () => {
  const plan = planNamed('Elite PRO 6')

  expect(toStoredPlan(cardChoice(plan, campaignDeals('black-november')(plan)))).toMatchObject({
    price: 'R$ 947,90',
    priceRaw: '947.90',
  })
})

test('in Black November Top Afiliado keeps its price', () => {
  const plan = planNamed('Top Afiliado')

  expect(toStoredPlan(cardChoice(plan, campaignDeals('black-november')(plan)))).toMatchObject({
    price: 'R$ 97,90',
    couponId: null,
  })
})

const stored: StoredPlan = {
  name: 'Elite Nível 1',
  price: 'R$ 97,90',
  period: '/mês',
  priceRaw: '97.90',
  interval: 'month',
  couponCode: null,
  couponId: 'blacknovember',
}
const { name: _, ...rest } = stored
const plan: SelectedPlan = { planId: 'elite_nivel_1', ...rest }

beforeEach(() => vi.stubGlobal('localStorage', fakeStorage()))
afterEach(() => {
  store.clearOnLogout()
  vi.unstubAllGlobals()
})

test('the chosen plan is stored as JSON with fixed names', () => {
  writeSelectedPlan(plan)

  expect(JSON.parse(localStorage.getItem('selectedPlan') ?? '')).toEqual(stored)
  expect(readSelectedPlan()).toEqual(plan)
})

test('an unreadable stored plan counts as missing', () => {
  for (const bad of ['', '{', '[]', '{"name":"Elite"}', '"texto"', 'null']) {
    vi.stubGlobal('localStorage', fakeStorage({ selectedPlan: bad }))
    expect(readSelectedPlan()).toBeNull()
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

  writeSelectedPlan(plan)
  expect(readSelectedPlan()).toEqual(plan)

  store.clearSelectedPlan()
  expect(readSelectedPlan()).toBeNull()
})

test('forgetting the plan also forgets the return address and the hold', () => {
  writeSelectedPlan(plan)
  store.write('loginRedirectUrl', '/upsell')
  store.writeUpsellEnd(new Date('2026-11-21T12:15:00Z'))

  store.clearSelectedPlan()

  expect(store.read('loginRedirectUrl')).toBeNull()
  expect(store.read('upsellEndTime')).toBeNull()
})

test('a choice that was set aside stays until another choice, a payment or the sign-out', () => {
  const isSetAside = () => {
    writeSelectedPlan(plan)
    store.setSelectedPlanAside()
    expect(readSelectedPlan()).toBeNull()
    // Another page opens without a choice: the one that was set aside stays.
    store.setSelectedPlanAside()
    expect(readClearedPlan()).toEqual(plan)
  }
  for (const end of [
    () => writeSelectedPlan({ ...plan, planId: 'top_afiliado' }),
    () => store.clearPurchase(null),
    () => store.clearOnLogout(),
  ]) {
    isSetAside()
    end()
    expect(readClearedPlan()).toBeNull()
  }
})

test('a choice that was set aside in one tab is also offered in a tab opened later', async () => {
  writeSelectedPlan(plan)
  store.setSelectedPlanAside()
  vi.stubGlobal('sessionStorage', fakeStorage())
  vi.resetModules()
  expect((await import('./selected-plan')).readClearedPlan()).toEqual(plan)
})

test('a paid purchase forgets the plan and its own checkout, not one opened later', () => {
  writeSelectedPlan(plan)
  store.write('checkoutClientSecret', 'cs_1_secret_x')
  store.clearPurchase('cs_2')
  expect(readSelectedPlan()).toBeNull()
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
  writeSelectedPlan(plan)
  store.write('checkoutClientSecret', 'cs_secret')
  store.write('utm_source', 'instagram')

  store.clearOnLogout()

  expect(store.readStoredUser()).toBeNull()
  expect(readSelectedPlan()).toBeNull()
  expect(store.read('checkoutClientSecret')).toBeNull()
  expect(store.read('utm_source')).toBe('instagram')
})

test('a plan stored by this tab is gone after a sign-out in another, also without the storage event', async () => {
  const kept = { selectedPlan: JSON.stringify(stored), holder: 'usr_1' }
  const planWhile = async (uid: string | null) => {
    vi.stubGlobal('sessionStorage', fakeStorage(kept))
    vi.stubGlobal('localStorage', fakeStorage(uid ? { uid } : {}))
    vi.resetModules()
    return (await import('./selected-plan')).readSelectedPlan()
  }

  expect(await planWhile('usr_1')).toEqual(plan)
  expect(await planWhile(null)).toBeNull()
  expect(await planWhile('usr_2')).toBeNull()
})

test('a stored plan without a coupon, by its id or by an unknown name is read', () => {
  const { couponCode: _, couponId: __, ...bare } = stored
  expect(parseStoredPlan(bare)).toEqual({ ...plan, couponId: null })
  expect(parseStoredPlan({ ...stored, name: 'elite_nivel_1' })).toEqual(plan)
  // The server refuses it, and the page says that the plan is not sold.
  expect(parseStoredPlan({ ...stored, name: 'Plano Antigo' })).toMatchObject({ planId: 'Plano Antigo' })
})
