import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { call } from '../../api/call'
import { read, subscribe } from '../../lib/browser-storage'
import { loadConfig } from '../../lib/config'
import { consentMessage, isConsentTold, markConsentTold, readConsent, writeConsent } from '../../lib/consent'
import { useSession } from '../../lib/session'

/** Whether there is anybody to tell, what the visitor answered, and how to answer. */
export function useConsent() {
  const asks = useHasPlatforms()
  const { confirm } = useSession()
  // The stored text changes with each answer, also with one in another tab.
  useSyncExternalStore(subscribe, () => read('adsConsent'))
  const given = readConsent()
  useTellAccount(given?.at.getTime() ?? 0)

  const answer = useCallback(
    (allowed: boolean) => {
      const takenBack = !allowed && readConsent()?.allowed
      writeConsent(allowed)
      // Whoever seems signed in is asked for, so that the account hears of it.
      if (read('uid')) void confirm()
      // What a platform's script has loaded stays in the page until it goes.
      if (takenBack && ('fbq' in globalThis || 'dataLayer' in globalThis)) location.reload()
    },
    [confirm],
  )
  return { asks, allowed: given?.allowed ?? null, answer }
}

/** Nobody is asked where no advertising platform is told of anything. */
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

/** The account of who is signed in hears of the answer once; a lost call is made again with the next page. */
function useTellAccount(answeredAt: number): void {
  const { session } = useSession()
  const uid = session.kind === 'user' ? session.user.uid : null
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer is told again
  useEffect(() => {
    const consent = consentMessage()
    if (!uid || !consent || isConsentTold(uid)) return
    call(({ users }) => users.saveConsent({ consent })).then(
      () => markConsentTold(uid),
      (cause: unknown) => console.warn('telling the account of the answer failed', cause),
    )
  }, [uid, answeredAt])
}
