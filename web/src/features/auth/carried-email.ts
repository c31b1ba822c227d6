import { useState } from 'react'
import { type Location, useLocation } from 'react-router-dom'
import { writeTab } from '../../lib/browser-storage'
import { useIsHydrating } from '../../lib/use-is-hydrating'
import { useTabStored } from '../../lib/use-stored'

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

/**
 * What was typed last in a field, for its form to begin with. It stays until the page changes,
 * although `forgetTyped` comes earlier.
 */
export function useTypedBefore(key: (typeof TYPED)[number]): string {
  return useFirst(useTabStored(key) ?? '')
}

/** A value as it was at first; in a built page, once it is hydrated. */
function useFirst(value: string): string {
  const isHydrating = useIsHydrating()
  const [first, keep] = useState(isHydrating ? null : value)
  if (first === null && !isHydrating) keep(value)
  return first ?? ''
}

/**
 * The email that was typed on the page before, to begin with. It travels in the history entry,
 * never in the address.
 */
export function useCarriedEmail(): [email: string, setEmail: (email: string) => void] {
  const { state }: Location<Partial<CarriedEmail> | null> = useLocation()
  const typedBefore = useTypedBefore('typedEmail')
  const carried = useFirst(typeof state?.email === 'string' ? state.email : '')
  const [typed, show] = useState<string | null>(null)
  const setEmail = (email: string) => {
    writeTab('typedEmail', email)
    show(email)
  }
  return [typed ?? (carried || typedBefore), setEmail]
}
