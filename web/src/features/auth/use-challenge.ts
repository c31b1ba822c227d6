import { type RefObject, useEffect, useRef, useState } from 'react'
import { loadConfig } from '../../lib/config'
import { type AskedChallenge, askedBy, reloadForPolicy } from './challenge-widget'

/**
 * The challenge of a form, once a call was refused for the lack of one, and its response. A form
 * that only lacked the response is sent by itself with it; after any other refusal the visitor
 * sends it, because a provider may solve a challenge without a person and the form would be sent
 * for ever.
 */
export function useChallenge(form: RefObject<HTMLFormElement | null>) {
  const [asked, setAsked] = useState<AskedChallenge | null>(null)
  const response = useRef('')
  const sendsItself = useRef(false)
  return {
    asked,
    isUnsolved: () => asked !== null && response.current === '',
    onResponse: (given: string) => {
      response.current = given
      if (!given || !sendsItself.current) return
      sendsItself.current = false
      form.current?.requestSubmit()
    },
    /** The response for a call, which counts once. */
    take: () => {
      const taken = response.current
      response.current = ''
      return taken
    },
    /**
     * After a failed call that carried a response: shows a challenge if one is needed, and returns
     * whether it is the first.
     */
    refuse: (cause: unknown, carried: string): boolean => {
      const next = askedBy(cause, carried)
      const isFirst = next !== null && asked === null
      sendsItself.current = next?.because === 'first'
      if (next) setAsked(next)
      else if (asked && carried) setAsked({ ...asked, because: 'refused' })
      return isFirst
    },
  }
}

/**
 * Loads the sign-up page anew if a challenge may be required and the document was loaded at another
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
