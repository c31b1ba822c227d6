import { useState } from 'react'
import { useEntryState } from '../../lib/location'

/** What a link between the account pages takes along: the email typed so far. */
export interface CarriedEmail {
  email: string
}

/** What /login is told by the page before it. */
export interface Arrival extends CarriedEmail {
  /** A new password was just chosen. */
  isReset: boolean
}

/** The email that was typed on the page before, to begin with, else `otherwise`. It travels in the history entry, never in the address. */
export function useCarriedEmail(otherwise = ''): [email: string, setEmail: (email: string) => void] {
  const { email } = useEntryState<CarriedEmail>()
  return useState(() => (typeof email === 'string' ? email : otherwise))
}
