import { PROMO_PARAMETERS } from '../catalog/promo-code'
import { read, readTab, remove, type StorageKey, write, writeTab } from '../lib/browser-storage'
import { toTimestamp } from '../lib/dates'
import { serverNow } from '../lib/server-clock'

/**
 * One arrival at the site whose source is known: values of its address, by the names under which
 * they are stored.
 */
export type Attribution = { [name in Value]?: string } & {
  /** RFC 3339. */
  at: string
  referrer_host?: string
  /** Platform whose click id the address carried. */
  clicked?: 'meta' | 'google'
}

/** Ids of clicks on advertisements. */
export interface Clicks {
  fbc?: string
  gclid?: string
}

/** An arrival counts for this long, at the server too (server/domain/src/attribution.rs). */
export const LIVES_MS = 90 * 86_400_000
const LONGEST = 200
const LONGEST_CLICK = 500

/** The parameters of an address that give each value. The first one with a value counts. */
const PARAMETERS = {
  utm_source: ['utm_source'],
  utm_medium: ['utm_medium'],
  utm_campaign: ['utm_campaign'],
  utm_term: ['utm_term'],
  utm_content: ['utm_content'],
  campaign_id: ['campaign'],
  referral: ['ref'],
  promo: PROMO_PARAMETERS,
} as const

type Value = keyof typeof PARAMETERS

export const UTM_NAMES = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const

/** The last arrival is stored under the documented names too. */
const NAMED = [...UTM_NAMES, 'campaign_id', 'referral'] as const satisfies readonly (Value & StorageKey)[]

/** Mail and payment hosts are no source: a visitor who comes from them was here before. */
const LEADS_BACK = /(^|\.)(e|web)?mail\.|^outlook\.|^com\.google\.android\.gm$|\.stripe\.com$/

/**
 * A value with one of these is dropped, by page and server alike: control characters, and those
 * that nobody sees.
 */
const UNSEEN = /[\p{Cc}\p{Cf}]/u

/**
 * The source of a visit by its address and its referrer; null if neither names one. For a returning
 * visitor (`returns`) a bare referrer (no utm, ref or promo) is ignored.
 */
export function attributionOf(address: string, referrer: string, returns = false): Attribution | null {
  const { searchParams, host } = new URL(address)
  const touch: Attribution = { at: serverNow().toISOString() }
  for (const [name, parameters] of Object.entries(PARAMETERS)) {
    const value = parameters.map((parameter) => searchParams.get(parameter)?.trim()).find(Boolean)
    if (value && value.length <= LONGEST && !UNSEEN.test(value) && !isPersonal(value))
      touch[name as Value] = value
  }
  const { fbc, gclid } = clicksOf(address)
  if (fbc || gclid) touch.clicked = fbc ? 'meta' : 'google'
  const from = hostOf(referrer)
  const brought = isNamed(touch) || !(returns || LEADS_BACK.test(from ?? ''))
  if (from && from !== host && brought) touch.referrer_host = from.slice(0, LONGEST)
  return Object.keys(touch).length > 1 ? touch : null
}

/** Whether the address names the source, so that it is known by more than the referrer. */
function isNamed(touch: Attribution): boolean {
  return Object.keys(touch).some((name) => name in PARAMETERS || name === 'clicked')
}

/** Something before an at sign, and a host with a dot after it. */
const EMAIL = /[^\s@]@\.*[^\s@.][^\s@]*\.[^\s@]*[^\s@.]/

/**
 * Whether a value contains an email or a mobile number. The server has the same rule
 * (server/domain/src/attribution.rs).
 */
export function isPersonal(text: string): boolean {
  const plain = text.replace(/%25/g, '%').replace(/%40/g, '@').replace(/%2b/gi, '+').replace(/%20/g, ' ')
  const runs = plain.split(/[^\d ().+-]/).map((run) => run.replace(/\D/g, ''))
  return EMAIL.test(plain) || runs.some((run) => /^(55)?[1-9]{2}9\d{8}$/.test(run))
}

/** Where an arrival came from, as visits are counted. */
export function sourceOf({ utm_source, referral, clicked, referrer_host }: Attribution): string | undefined {
  return utm_source ?? (referral && `ref:${referral}`) ?? (clicked && `${clicked} ads`) ?? referrer_host
}

/** The ids of a click that led here; Meta's in its own form, with the moment of the click. */
export function clicksOf(address: string): Clicks {
  const { searchParams } = new URL(address)
  const id = (name: string) => {
    const value = searchParams.get(name) ?? ''
    return value.length <= LONGEST_CLICK && /^[\w-]+$/.test(value) ? value : undefined
  }
  const [fbclid, gclid] = [id('fbclid'), id('gclid')]
  return {
    ...(fbclid && { fbc: `fb.1.${serverNow().getTime()}.${fbclid}` }),
    ...(gclid && { gclid }),
  }
}

/**
 * Records an arrival: the first one stays, and each later one replaces the last. A link from
 * another site that names nothing more replaces only what is over: mail and payment lead back here
 * too.
 */
export function recordArrival(touch: Attribution | null, clicks: Clicks): void {
  if (touch && (isNamed(touch) || !readTouch('lastTouch'))) {
    if (!readTouch('firstTouch')) write('firstTouch', JSON.stringify(touch))
    write('lastTouch', JSON.stringify(touch))
    for (const name of NAMED) {
      const value = touch[name]
      if (value) write(name, value)
      else remove(name)
    }
  }
  if (clicks.fbc || clicks.gclid) {
    const last = { ...clicks, at: serverNow().getTime() }
    writeTab('adClicks', JSON.stringify({ first: readClicks().first ?? last, last }))
  }
}

/** A kept arrival; null when there is none that counts still. */
export function readTouch(key: 'firstTouch' | 'lastTouch'): Attribution | null {
  try {
    const touch = JSON.parse(read(key) ?? 'null') as Attribution | null
    return touch && counts(touch.at) ? touch : null
  } catch {
    return null
  }
}

/** Whether what happened then counts still. */
function counts(at: string | number): boolean {
  return serverNow().getTime() - new Date(at).getTime() < LIVES_MS
}

/** Keeps the ids of clicks in the browser. Before a permission they are in the tab alone. */
export function keepClicks(): void {
  const clicks = readTab('adClicks')
  if (clicks) write('adClicks', clicks)
}

/** A refusal forgets them, and the cookies of platforms. */
export function forgetClicks(): void {
  writeTab('adClicks', null)
  remove('adClicks')
  forgetCookies()
}

/** Cookies of platforms stay with a permission alone. */
export function forgetCookies(): void {
  const parts = location.hostname.split('.')
  const domains = parts.map((_, at) => `; domain=${parts.slice(at).join('.')}`)
  for (const name of ['_fbp', '_fbc', '_gcl_au', '_gcl_aw'])
    for (const domain of ['', ...domains]) writeCookie(`${name}=; path=/; max-age=0${domain}`)
}

function writeCookie(text: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the other way is not in every browser
  document.cookie = text
}

/** Clicks as they are kept. */
type KeptClicks = Clicks & {
  /** Milliseconds since 1970. */
  at: number
}

function readClicks(): { first?: KeptClicks; last?: KeptClicks } {
  try {
    const clicks: ReturnType<typeof readClicks> = JSON.parse(read('adClicks') ?? 'null') ?? {}
    return Object.fromEntries(Object.entries(clicks).filter(([, { at }]) => counts(at)))
  } catch {
    return {}
  }
}

/**
 * The ids of clicks, those of the platforms' own cookies first. Called only with a permission.
 */
export function clickIds() {
  const { fbc = '', gclid = '' } = readClicks().last ?? {}
  return { fbc: cookie('_fbc') || fbc, fbp: cookie('_fbp'), gclid }
}

/** Where the visitor came from, as calls carry it; `clicks` with a permission alone. */
export function attributionMessage(allowed: boolean) {
  const [first, last] = [message(readTouch('firstTouch')), message(readTouch('lastTouch'))]
  const clicks = allowed ? clickIds() : undefined
  const { fbc, gclid } = readClicks().first ?? {}
  const firstClicks = allowed && (fbc || gclid) ? { fbc, gclid } : undefined
  return first || last || clicks ? { first, last, clicks, firstClicks } : undefined
}

function message(touch: Attribution | null) {
  if (!touch) return undefined
  return {
    at: toTimestamp(new Date(touch.at)),
    utmSource: touch.utm_source,
    utmMedium: touch.utm_medium,
    utmCampaign: touch.utm_campaign,
    utmTerm: touch.utm_term,
    utmContent: touch.utm_content,
    campaignId: touch.campaign_id,
    referral: touch.referral,
    promo: touch.promo,
    referrerHost: touch.referrer_host,
    clicked: touch.clicked,
  }
}

function hostOf(address: string): string | null {
  try {
    return new URL(address).host
  } catch {
    return null
  }
}

function cookie(name: string): string {
  return new RegExp(`(?:^|; )${name}=([^;]*)`).exec(document.cookie)?.[1] ?? ''
}
