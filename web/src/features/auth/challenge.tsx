import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { loadConfig } from '../../lib/config'
import { signUp } from '../../texts/sign-up'
import { Button } from '../../ui/button'
import styles from './auth-page.module.css'
import { type AskedChallenge, askedBy, reloadForPolicy, showChallenge } from './challenge-widget'

/**
 * The provider's challenge, whose script comes with it. `onResponse` gets the response once it is
 * solved, and an empty one when that has expired.
 */
export function Challenge({
  asked,
  onResponse,
}: {
  asked: AskedChallenge
  onResponse: (response: string) => void
}) {
  const place = useRef<HTMLDivElement>(null)
  const [trouble, setTrouble] = useState<{ of: AskedChallenge; kind: 'failed' | 'expired' } | null>(null)
  const [tries, setTries] = useState(0)
  const respond = useEffectEvent(onResponse)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try shows another challenge
  useEffect(() => {
    if (!place.current) return
    const fail = () => setTrouble({ of: asked, kind: 'failed' })
    const expire = () => {
      respond('')
      setTrouble({ of: asked, kind: 'expired' })
    }
    return showChallenge(asked, place.current, { solve: (response) => respond(response), expire, fail })
  }, [asked, tries])

  const retry = () => {
    if (reloadForPolicy()) return
    setTrouble(null)
    setTries(tries + 1)
  }
  const { challenge: texts } = signUp
  const kind = trouble?.of === asked ? trouble.kind : null
  return (
    <div className={styles.challenge}>
      <p role="alert">{texts[kind ?? asked.because]}</p>
      <div className={styles.widget} ref={place} />
      {kind === 'failed' && (
        <Button variant="secondary" onClick={retry}>
          {texts.again}
        </Button>
      )}
    </div>
  )
}

/**
 * The challenge of a form, once a call was refused for the lack of one, and its response. A form
 * that only lacked the response is sent by itself with it; after any other refusal the visitor
 * sends it, because a provider may solve a challenge without a person and the form would be sent
 * for ever.
 */
export function useChallenge() {
  const [asked, setAsked] = useState<AskedChallenge | null>(null)
  const response = useRef('')
  // Of the last call.
  const carried = useRef('')
  const sendsItself = useRef(false)
  return {
    asked,
    isUnsolved: () => asked !== null && response.current === '',
    respond: (given: string, form: RefObject<HTMLFormElement | null>) => {
      response.current = given
      if (!given || !sendsItself.current) return
      sendsItself.current = false
      form.current?.requestSubmit()
    },
    /** The response for a call, which counts once. */
    take: () => {
      carried.current = response.current
      response.current = ''
      return carried.current
    },
    /**
     * After a failed call that carried a response: shows a challenge if one is needed, and returns
     * whether it is the first.
     */
    refuse: (cause: unknown): boolean => {
      const next = askedBy(cause, carried.current)
      const isFirst = next !== null && asked === null
      sendsItself.current = next?.because === 'first'
      if (next) setAsked(next)
      else if (asked && carried.current) setAsked({ ...asked, because: 'refused' })
      return isFirst
    },
  }
}

/**
 * Reloads the sign-up page if a challenge may be required and the document was loaded at another
 * address, unless something `isTyped` already. Returns whether it does.
 */
export function useReloadForChallenge(isTyped: () => boolean): boolean {
  const [reloads, setReloads] = useState(false)
  const typed = useRef(isTyped)
  useEffect(() => {
    loadConfig().then(
      ({ captcha }) => {
        if (captcha && !typed.current() && reloadForPolicy()) setReloads(true)
      },
      () => undefined,
    )
  }, [])
  return reloads
}
