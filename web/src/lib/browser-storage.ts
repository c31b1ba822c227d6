import { sessionIdOf } from './checkout-outcome'

/**
 * The purchase under way. What a tab has chosen or shown stays its own when another tab stores
 * something else: from then on its session storage holds it, so that two tabs with two plans keep
 * each its own over a reload.
 */
const OF_THE_PURCHASE = ['selectedPlan', 'upsellEndTime', 'loginRedirectUrl', 'checkoutClientSecret'] as const

/** Who is signed in. */
const OF_THE_USER = ['uid', 'userEmail', 'userName', 'userPhone', 'userWhatsapp', 'registrationDate'] as const

/**
 * The only toucher of browser storage. Keys are those of `docs/requirements.md`; values are parsed
 * on read and a bad one counts as absent. Where storage is blocked, values live as long as the
 * page.
 */
export type StorageKey =
  | (typeof OF_THE_PURCHASE | typeof OF_THE_USER)[number]
  | 'clearedPlan'
  | 'campaign_id'
  | 'referral'
  | 'utm_source'
  | 'utm_medium'
  | 'utm_campaign'
  | 'utm_term'
  | 'utm_content'
  | 'firstTouch'
  | 'lastTouch'
  | 'promoCode'
  | 'promoCodeAt'
  | 'adClicks'
  | 'adsConsent'
  | 'consentTold'
  | 'firstSteps'

/** Keys of one tab alone. */
export type TabKey =
  | 'adClicks'
  | 'stepsSeen'
  | 'boletoAsked'
  | 'lapsedSeen'
  | 'resetCode'
  | 'emailCode'
  | 'deletionProtocol'
  | 'planChoice'
  | 'typedEmail'
  | 'typedName'
  | 'typedWhatsapp'
  | 'toast'
  | 'errorSent'

/** Who is signed in, as the browser remembers it. */
export interface StoredUser {
  uid: string
  email: string
  name: string
  /** National digits, null when none was given. */
  phone: string | null
  registeredAt: Date | null
}

const memory = new Map<StorageKey | TabKey, string>()
const listeners = new Set<() => void>()

type Area = 'localStorage' | 'sessionStorage'

function getItem(area: Area, key: string): string | null {
  try {
    return globalThis[area]?.getItem(key) ?? null
  } catch {
    return null
  }
}

/**
 * Null removes. Returns false where storage is blocked or full: the page's own memory holds the
 * value.
 */
function setItem(area: Area, key: string, value: string | null): boolean {
  try {
    if (value === null) globalThis[area]?.removeItem(key)
    else globalThis[area]?.setItem(key, value)
    return true
  } catch {
    return false
  }
}

export function read(key: StorageKey): string | null {
  const value = getItem('sessionStorage', key) ?? getItem('localStorage', key) ?? memory.get(key) ?? null
  // A value that was shown is this tab's own. Not the secret: a page also reads that of a checkout
  // opened by another.
  if (value !== null && isOfThePurchase(key) && key !== 'checkoutClientSecret') memory.set(key, value)
  return value
}

export function write(key: StorageKey, value: string): void {
  memory.set(key, value)
  const isStored = setItem('localStorage', key, value)
  // Without it the tab keeps the value for its next page.
  setItem('sessionStorage', key, isStored ? null : value)
  notify()
}

export function remove(...keys: StorageKey[]): void {
  for (const key of keys) {
    forgetHere(key)
    setItem('localStorage', key, null)
  }
  notify()
}

/** Another tab stored or removed something; a null key is everything. */
function changedElsewhere({ key, oldValue }: StorageEvent): void {
  if (isOfThePurchase(key)) {
    const own = memory.get(key)
    holder ??= getItem('localStorage', 'uid')
    if (own !== undefined) setItem('sessionStorage', key, own)
    setItem('sessionStorage', 'holder', holder)
    return
  }
  if (key === null) memory.clear()
  else memory.delete(key as StorageKey)
  // A sign-out elsewhere also ends the purchase and removes the ad clicks of the person.
  if (key !== null && (key !== 'uid' || oldValue === null)) return
  for (const left of [...OF_THE_PURCHASE, 'adClicks'] as const) forgetHere(left)
}

function forgetHere(key: StorageKey | TabKey): void {
  memory.delete(key)
  if (key === 'uid') holder = null
  setItem('sessionStorage', key, null)
}

function isOfThePurchase(key: string | null): key is StorageKey {
  return OF_THE_PURCHASE.some((one) => one === key)
}

/**
 * Owner of this tab's purchase: a sign-out in another tab, while this one slept, ends the purchase
 * too.
 */
let holder = getItem('localStorage', 'uid')
if ((getItem('sessionStorage', 'holder') ?? holder) !== holder) OF_THE_PURCHASE.forEach(forgetHere)

if (typeof window !== 'undefined') {
  // First of all listeners: the others read the result.
  addEventListener('storage', changedElsewhere)
  // A page that the browser kept in its history has missed changes by other pages.
  addEventListener('pageshow', ({ persisted }) => persisted && notify())
}

export function readTab(key: TabKey): string | null {
  return getItem('sessionStorage', key) ?? memory.get(key) ?? null
}

/** Null forgets it. */
export function writeTab(key: TabKey, value: string | null): void {
  if (value === null) memory.delete(key)
  else memory.set(key, value)
  setItem('sessionStorage', key, value)
  notify()
}

function notify(): void {
  for (const listener of listeners) listener()
}

/** Calls `listener` after every change, also one made in another tab. Returns how to stop. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

/** Calls `listener` when another tab signs somebody in or out. Returns how to stop. */
export function onUserChangedElsewhere(listener: () => void): () => void {
  const heard = ({ key }: StorageEvent) => {
    if (key === null || key === 'uid') listener()
  }
  addEventListener('storage', heard)
  return () => removeEventListener('storage', heard)
}

/** Forgets the chosen plan; its return point and its reservation go with it. */
export function clearSelectedPlan(): void {
  remove('selectedPlan', 'loginRedirectUrl', 'upsellEndTime')
}

/** The same, but keeps the choice for a way back to it, also in another tab. */
export function setSelectedPlanAside(): void {
  const plan = read('selectedPlan')
  if (plan) write('clearedPlan', plan)
  clearSelectedPlan()
}

/** Forgets the chosen plan and its checkout once it is paid. A checkout opened since is kept. */
export function clearPurchase(paidSessionId: string | null): void {
  remove('clearedPlan', 'selectedPlan', 'upsellEndTime')
  if (paidSessionId && sessionIdOf(read('checkoutClientSecret')) === paidSessionId)
    remove('checkoutClientSecret')
}

/** When the offers of /upsell stop being held; null when missing or not an instant. */
export function readUpsellEnd(): Date | null {
  return readDate('upsellEndTime')
}

export function writeUpsellEnd(end: Date): void {
  write('upsellEndTime', end.toISOString())
}

function readDate(key: 'upsellEndTime' | 'registrationDate'): Date | null {
  const date = new Date(read(key) ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date
}

export function readStoredUser(): StoredUser | null {
  const uid = read('uid')
  if (!uid) return null
  return {
    uid,
    email: read('userEmail') ?? '',
    name: read('userName') ?? '',
    phone: read('userPhone') ?? read('userWhatsapp'),
    registeredAt: readDate('registrationDate'),
  }
}

/** Step 2 of the sign-up flow, also after a login. What is not known is left as it was. */
export function writeStoredUser(user: StoredUser): void {
  if (read('uid') !== user.uid) remove('userPhone', 'userWhatsapp', 'registrationDate')
  write('uid', user.uid)
  write('userEmail', user.email)
  write('userName', user.name)
  if (user.phone) {
    write('userPhone', user.phone)
    write('userWhatsapp', user.phone)
  }
  if (user.registeredAt) write('registrationDate', user.registeredAt.toISOString())
}

/**
 * The session is gone: the user's values go, also the clicks that led them here; the chosen plan
 * stays.
 */
export function clearStoredUser(): void {
  if (read('uid')) remove('adClicks')
  remove(...OF_THE_USER)
}

/** Logout: the user's values and the purchase under way. */
export function clearOnLogout(): void {
  // In this order: another tab that keeps its own purchase drops it at the event that the person
  // left.
  remove(...OF_THE_PURCHASE, 'clearedPlan')
  // The next person has not answered about advertising yet (attribution/consent.ts).
  if (read('consentTold')) write('consentTold', '-')
  clearStoredUser()
}
