import { type Path, paths } from './paths'

/** Server state of a checkout. Every end of the checkout reads it first. */
export type Outcome = 'paid' | 'awaiting' | 'open' | 'expired'

/**
 * From the strings of GetCheckoutSession. A complete session that is not paid waits for its boleto.
 */
export function outcomeOf(session: { status: string; paymentStatus: string }): Outcome {
  if (session.paymentStatus === 'paid') return 'paid'
  if (session.status === 'complete') return 'awaiting'
  return session.status === 'expired' ? 'expired' : 'open'
}

/** The session id: the part of a client secret before `_secret_`; null without one. */
export function sessionIdOf(clientSecret: string | null): string | null {
  const [id, secret] = clientSecret?.split('_secret_') ?? []
  return id && secret ? id : null
}

/** The address of a result page for one checkout. */
export function resultAddress(path: Path, sessionId: string | null): string {
  return sessionId ? `${path}?session_id=${encodeURIComponent(sessionId)}` : path
}

/** The result page of an outcome; null for an open or expired checkout, and for none. */
export function resultPath(outcome: Outcome | null): Path | null {
  if (outcome === 'paid') return paths.paymentSuccess
  return outcome === 'awaiting' ? paths.paymentAwaited : null
}
