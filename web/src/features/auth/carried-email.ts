import { useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { type Location, useLocation } from 'react-router-dom'
import { readTab, writeTab } from '../../lib/browser-storage'
import { useIsHydrating } from '../../lib/use-is-hydrating'

/** State of a link between the account pages: the email typed so far. */
export interface CarriedEmail {
  email: string
}

/** The history state that the page before /login passes to it. */
export interface Arrival extends CarriedEmail {
  /** A new password was just chosen. */
  isReset: boolean
}

/**
 * The fields typed last. The tab keeps them, because the header carries no email and the terms
 * are another document.
 */
const TYPED = ['typedEmail', 'typedName', 'typedWhatsapp'] as const

/** After a sign-up or login, so that the next person in this tab does not find it. */
export function forgetTyped(): void {
  for (const key of TYPED) writeTab(key, null)
}

/** The value of a field that was typed before, to begin with, and how to change it. */
export function useTypedBefore(key: (typeof TYPED)[number]): [value: string, set: (value: string) => void] {
  return useTyped(key, () => readTab(key) ?? '')
}

/**
 * The email that was typed on the page before, to begin with. It travels in the history entry,
 * never in the address.
 */
export function useCarriedEmail(): [email: string, setEmail: (email: string) => void] {
  const { state }: Location<Partial<CarriedEmail> | null> = useLocation()
  return useTyped('typedEmail', () => state?.email || (readTab('typedEmail') ?? ''))
}

/** It stays until the page changes, although `forgetTyped` comes earlier. */
function useTyped(key: (typeof TYPED)[number], begin: () => string): [string, (value: string) => void] {
  const isHydrating = useIsHydrating()
  const [value, show] = useState(() => (isHydrating ? '' : begin()))
  const isTyped = useRef(false)
  const beginLate = useEffectEvent(() => isHydrating && !isTyped.current && show(begin()))
  // In the task that hydrates the built page, so that no key comes before it.
  useLayoutEffect(() => void beginLate(), [])
  const set = (typed: string) => {
    isTyped.current = true
    writeTab(key, typed)
    show(typed)
  }
  return [value, set]
}
