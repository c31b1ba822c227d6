import { consent as texts } from '../texts/consent'
import { read, remove, write } from './browser-storage'
import { toTimestamp } from './dates'
import { serverNow } from './server-clock'
import { forgetClicks, keepClicks } from './touches'

/** What the visitor answered about advertising. */
export interface AdsConsent {
  allowed: boolean
  /** Version of the text that was shown. */
  version: string
  at: Date
}

/** An answer is asked for again after a year. */
const LIVES_MS = 365 * 86_400_000

/** The answer that holds; null when nobody answered, the text is another one by now, or it was long ago. */
export function readConsent(): AdsConsent | null {
  try {
    const value: unknown = JSON.parse(read('adsConsent') ?? 'null')
    if (typeof value !== 'object' || value === null) return null
    const { allowed, version, at } = value as Record<string, unknown>
    const given = new Date(String(at))
    const age = serverNow().getTime() - given.getTime()
    const holds = version === texts.version && age < LIVES_MS
    return typeof allowed === 'boolean' && holds ? { allowed, version: texts.version, at: given } : null
  } catch {
    return null
  }
}

/** Whether advertising platforms may be told: without an answer they may not. */
export function adsAllowed(): boolean {
  return readConsent()?.allowed === true
}

/** Keeps the answer of now; a refusal forgets what was kept with a permission. */
export function writeConsent(allowed: boolean): void {
  write('adsConsent', JSON.stringify({ allowed, version: texts.version, at: serverNow().toISOString() }))
  if (allowed) keepClicks()
  else forgetClicks()
}

/** The answer as calls carry it. */
export function consentMessage() {
  const given = readConsent()
  if (!given) return undefined
  return { adsAllowed: given.allowed, textVersion: given.version, at: toTimestamp(given.at) }
}

/** Whether the account has been told the answer of this browser. */
export function isConsentTold(uid: string): boolean {
  const given = readConsent()
  return !given || read('consentTold') === `${uid} ${given.at.toISOString()}`
}

export function markConsentTold(uid: string): void {
  const given = readConsent()
  if (given) write('consentTold', `${uid} ${given.at.toISOString()}`)
  else remove('consentTold')
}
