import { useEffect } from 'react'
import { navigate } from '../lib/location'

/** Leads to another address in place of this one. */
export function Redirect({ to }: { to: string }) {
  useEffect(() => navigate(to, { replace: true }), [to])
  return null
}
