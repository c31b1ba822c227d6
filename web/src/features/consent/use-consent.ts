import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { type Clients, call } from '../../api/call'
import {
  adoptAccountConsent,
  consentMessage,
  isConsentTold,
  markConsentTold,
  readConsent,
  writeConsent,
} from '../../attribution/consent'
import { forgetCookies, keepClicks } from '../../attribution/touches'
import type { Consent } from '../../gen/garimpo/tracking/v1/origin_pb'
import { useAddress } from '../../lib/area'
import { read, subscribe } from '../../lib/browser-storage'
import { loadConfig } from '../../lib/config'
import { useSession } from '../../session/session'

/**
 * Whether there is anybody to tell, what the visitor answered, and how to answer. `paying`: this
 * page must stay as it is.
 */
export function useConsent(paying: boolean) {
  const asks = useHasPlatforms()
  const { confirm } = useSession()
  // The stored texts change with each answer, also with one in another tab, and with who is signed
  // in.
  useSyncExternalStore(subscribe, () => `${read('adsConsent')} ${read('consentTold')} ${read('uid')}`)
  const given = readConsent()
  const allowed = given?.allowed ?? null
  useAccountsAnswer(given?.at.getTime() ?? 0)
  useEndOfTelling(allowed === true, paying)

  // Wherever it was answered, every tab does what follows from it.
  useEffect(() => {
    if (allowed) return keepClicks()
    forgetCookies()
  }, [allowed])

  const answer = (allow: boolean) => {
    writeConsent(allow)
    // The session of a seemingly signed-in visitor is read, so that the account gets the answer.
    if (read('uid')) void confirm()
  }
  return { asks, allowed, answer }
}

/**
 * What a platform's script has loaded stays in a page until it goes: a permission taken back, here
 * or in another tab, loads it anew. Nothing more is reported in any case (tracking.ts), so a
 * payment in progress is not interrupted.
 */
function useEndOfTelling(allowed: boolean, paying: boolean): void {
  const wasAllowed = useRef(allowed)
  useEffect(() => {
    if (wasAllowed.current && !allowed && !paying && ('fbq' in globalThis || 'dataLayer' in globalThis))
      location.reload()
    wasAllowed.current = allowed
  }, [allowed, paying])
}

/** No question where nothing is reported to an advertising platform. */
function useHasPlatforms(): boolean {
  const [has, setHas] = useState(false)
  useEffect(() => {
    loadConfig().then(
      ({ pixelScriptUrl, adsScriptUrl }) => setHas(Boolean(pixelScriptUrl || adsScriptUrl)),
      () => undefined,
    )
  }, [])
  return has
}

/**
 * The account of who is signed in hears the answer of this browser once, and says what stands: a
 * newer answer of its own comes back. A browser without an answer of theirs takes the account's. A
 * lost call is made again with the next page.
 */
function useAccountsAnswer(answeredAt: number): void {
  const { session } = useSession()
  const { pathname } = useAddress()
  const uid = session.kind === 'user' ? session.user.uid : null
  const untoldOn = uid && !isConsentTold(uid) && pathname
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer is told again, and one that is not told yet
  useEffect(() => {
    const consent = consentMessage()
    if (!uid || (consent && isConsentTold(uid))) return
    const ask = ({ users }: Clients): Promise<{ consent?: Consent | undefined }> =>
      consent ? users.saveConsent({ consent }) : users.getConsent({})
    call(ask, { background: true }).then(
      (stands) => {
        markConsentTold(uid, consent)
        adoptAccountConsent(stands.consent, uid)
      },
      (cause: unknown) => console.warn("the account's answer about advertising is not known", cause),
    )
  }, [uid, answeredAt, untoldOn])
}
