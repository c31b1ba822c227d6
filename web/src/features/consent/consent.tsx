import { lazy, Suspense, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { type Clients, call } from '../../api/call'
import { forgetCookies, keepClicks } from '../../attribution/attribution'
import {
  adoptAccountConsent,
  consentMessage,
  isConsentSent,
  markConsentSent,
  readConsent,
  writeConsent,
} from '../../attribution/consent'
import type { Consent as AccountConsent } from '../../gen/garimpo/tracking/v1/origin_pb'
import { useAddress } from '../../lib/area'
import { read, subscribe } from '../../lib/browser-storage'
import { loadConfig } from '../../lib/config'
import { focus, pageHeading } from '../../lib/focus'
import { PREFERENCES } from '../../lib/paths'
import { useLate } from '../../lib/use-late'
import { useSession } from '../../session/session'

const ConsentDialog = lazy(() => import('./consent-dialog'))
const loadBar = async () => (await import('./consent-bar')).default

/**
 * Position of the question: `over` the bottom of the page, at its `end`, or nowhere (during a
 * payment, which reports nothing).
 */
export type ConsentPlace = 'over' | 'end' | 'nowhere'

/** The question about advertising, until it is answered, and the choice in detail. */
export default function Consent({ place }: { place: ConsentPlace }) {
  const { asks, allowed, answer } = useConsent(place === 'nowhere')
  const [choosing, setChoosing] = useState(false)
  const keepFocus = useFocusAfterAnswer()
  const choose = useCallback(() => setChoosing(true), [])
  usePreferenceLinks(asks, choose)
  const isShown = asks && allowed === null && place !== 'nowhere'
  const ConsentBar = useLate(loadBar, isShown)

  const save = (allow: boolean) => {
    setChoosing(false)
    answer(allow)
    keepFocus()
  }
  if (!asks) return null
  return (
    <>
      {isShown && ConsentBar && <ConsentBar key={place} over={place === 'over'} onAnswer={save} />}
      {choosing && (
        <Suspense>
          <ConsentDialog allowed={allowed === true} onClose={() => setChoosing(false)} onChoose={save} />
        </Suspense>
      )}
    </>
  )
}

/**
 * Links to the explanation of the choice open it, while there is one to make; also one that was
 * pressed before it was known.
 */
function usePreferenceLinks(asks: boolean, choose: () => void): void {
  useEffect(() => {
    if (!asks) return
    if (location.href.endsWith(PREFERENCES)) choose()
    const open = (event: MouseEvent) => {
      const link = (event.target as Element).closest('a')
      if (link?.getAttribute('href') !== PREFERENCES || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      event.stopPropagation()
      choose()
    }
    document.addEventListener('click', open, { capture: true })
    return () => document.removeEventListener('click', open, { capture: true })
  }, [asks, choose])
}

/** Moves the focus to the page's heading if an answer removed what had it. */
function useFocusAfterAnswer(): () => void {
  const [answers, setAnswers] = useState(0)
  // After the dialog has closed and given the focus back.
  useEffect(() => {
    if (answers > 0 && document.activeElement === document.body) focus(pageHeading())
  }, [answers])
  return useCallback(() => setAnswers((count) => count + 1), [])
}

/**
 * Whether events are sent to any platform, what the visitor answered, and how to answer. `paying`:
 * this page must stay as it is.
 */
function useConsent(paying: boolean) {
  const asks = useHasPlatforms()
  const { confirm } = useSession()
  // The stored texts change with each answer, also with one in another tab, and with the
  // user.
  useSyncExternalStore(subscribe, () => `${read('adsConsent')} ${read('consentTold')} ${read('uid')}`)
  const given = readConsent()
  const allowed = given?.allowed ?? null
  useAccountsAnswer(given?.at.getTime() ?? 0)
  useReloadAfterRefusal(allowed === true, paying)

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
 * A platform's script stays in a document until it is left: a permission taken back, here or in
 * another tab, reloads the page. Nothing more is reported in any case (tracking.ts), so a
 * payment in progress is not interrupted.
 */
function useReloadAfterRefusal(allowed: boolean, paying: boolean): void {
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
 * Sends the answer of this browser to the account once; the reply is the answer that holds. A
 * browser without an answer of this account takes the account's. A lost call is repeated by the
 * next page.
 */
function useAccountsAnswer(answeredAt: number): void {
  const { session } = useSession()
  const { pathname } = useAddress()
  const uid = session.kind === 'user' ? session.user.uid : null
  const unsentOn = uid && !isConsentSent(uid) && pathname
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each new answer, and for an unsent one on each page
  useEffect(() => {
    const consent = consentMessage()
    if (!uid || (consent && isConsentSent(uid))) return
    const ask = ({ users }: Clients): Promise<{ consent?: AccountConsent | undefined }> =>
      consent ? users.saveConsent({ consent }) : users.getConsent({})
    call(ask, { background: true }).then(
      (stands) => {
        markConsentSent(uid, consent)
        adoptAccountConsent(stands.consent, uid)
      },
      (cause: unknown) => console.warn("the account's answer about advertising is not known", cause),
    )
  }, [uid, answeredAt, unsentOn])
}
