import type { Consent } from '../gen/garimpo/tracking/v1/origin_pb'
import { read, remove, write } from '../lib/browser-storage'
import { toDate, toTimestamp } from '../lib/dates'
import { serverNow } from '../lib/server-clock'
import { consent as texts } from '../texts/consent'
import { forgetClicks, keepClicks } from './attribution'

/** The visitor's answer about advertising. */
interface AdsConsent {
  allowed: boolean
  /** Version of the text that was shown. */
  version: string
  at: Date
}

/** The question is shown again a year after the answer. */
export const LIVES_MS = 365 * 86_400_000

/**
 * The account that got the answer of this browser, and owns it from then on; '-' after a sign-out.
 */
const ownerOf = () => read('consentTold')?.split(' ')[0] ?? null

/** Whether the answer belongs to an account that is not the one of this page. */
function isForeign(): boolean {
  const owner = ownerOf()
  return owner !== null && owner !== read('uid')
}

/**
 * The answer that holds; null when nobody answered, the text is another one by now, or it was long
 * ago. Another account's answer holds only if it is a refusal and nobody is signed in.
 */
export function readConsent(): AdsConsent | null {
  try {
    const value: unknown = JSON.parse(read('adsConsent') ?? 'null')
    if (typeof value !== 'object' || value === null) return null
    const { allowed, version, at } = value as Record<string, unknown>
    const given = new Date(String(at))
    const age = serverNow().getTime() - given.getTime()
    const holds = version === texts.version && age < LIVES_MS
    if (typeof allowed !== 'boolean' || !holds) return null
    if (isForeign() && (allowed || read('uid'))) return null
    return { allowed, version: texts.version, at: given }
  } catch {
    return null
  }
}

/** Whether events may be sent to advertising platforms: not without an answer. */
export function adsAllowed(): boolean {
  return readConsent()?.allowed === true
}

/**
 * Keeps the answer of now; a refusal forgets what was kept with a permission. It is later than the
 * one before whatever the clock did meanwhile: the newest answer wins.
 */
export function writeConsent(allowed: boolean): void {
  const at = new Date(Math.max(serverNow().getTime(), (readConsent()?.at.getTime() ?? 0) + 1))
  remove('consentTold')
  write('adsConsent', JSON.stringify({ allowed, version: texts.version, at: at.toISOString() }))
  if (allowed) keepClicks()
  else forgetClicks()
}

/** The answer in the form of a call. */
export function consentMessage() {
  const given = isForeign() ? null : readConsent()
  if (!given) return undefined
  return { adsAllowed: given.allowed, textVersion: given.version, at: toTimestamp(given.at) }
}

/** Whether the account has got the answer of this browser. */
export function isConsentSent(uid: string): boolean {
  const given = readConsent()
  return !given || read('consentTold') === `${uid} ${given.at.toISOString()}`
}

/** Records that the account got the answer that a call carried; a later answer is still unsent. */
export function markConsentSent(uid: string, sent: ReturnType<typeof consentMessage>): void {
  const at = readConsent()?.at
  if (at && sent && toDate(sent.at)?.getTime() === at.getTime())
    write('consentTold', `${uid} ${at.toISOString()}`)
}

/**
 * The own answer of the account of this page takes the place of an older one of this browser, and
 * of another account's.
 */
export function adoptAccountConsent(stands: Consent | undefined, uid: string): void {
  const at = toDate(stands?.at)
  if (!stands || !at || uid !== read('uid')) return
  const given = readConsent()
  if (!given || given.at < at) {
    const { adsAllowed: allowed, textVersion: version } = stands
    write('consentTold', `${uid} ${at.toISOString()}`)
    write('adsConsent', JSON.stringify({ allowed, version, at: at.toISOString() }))
    if (!allowed) forgetClicks()
  }
}
