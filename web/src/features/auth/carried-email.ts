import { useState } from 'react'
import { type Location, useLocation } from 'react-router-dom'

/** What a link between the account pages takes along: the email typed so far. */
export interface CarriedEmail {
  email: string
}

/** The history state that the page before /login passes to it. */
export interface Arrival extends CarriedEmail {
  /** A new password was just chosen. */
  isReset: boolean
}

/** Typed last, in this tab's memory alone, because the header and the history carry no email. */
let lastTyped = ''

/** After a sign-up or login, so that the next person in this tab does not find it. */
export function forgetEmail(): void {
  lastTyped = ''
}

/**
 * The email that was typed on the page before, to begin with. It travels in the history entry,
 * never in the address.
 */
export function useCarriedEmail(): [email: string, setEmail: (email: string) => void] {
  const { state }: Location<Partial<CarriedEmail> | null> = useLocation()
  const email = state?.email
  const [typed, show] = useState(() => (typeof email === 'string' ? email : lastTyped))
  const setEmail = (email: string) => {
    lastTyped = email
    show(email)
  }
  return [typed, setEmail]
}
