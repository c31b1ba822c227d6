import { MINUTE_MS, TRIAL_MS } from '../../lib/timers'
import type { Trial } from '../../parts/trial'

/**
 * What /account-confirmation shows of the trial: one fact at a time, and none that is not known.
 */
export type Confirmation =
  | { kind: 'running'; end: Date }
  | { kind: 'over'; end: Date }
  /** An earlier account of this email used the trial, so there is nothing to count down. */
  | { kind: 'used' }
  | { kind: 'subscribed' }
  | { kind: 'ready' }

/**
 * The server's answer; without one, the stored end as long as it lies ahead. A stored
 * end in the past is no verdict, because a subscriber has one too.
 */
export function confirmationOf(
  trial: Exclude<Trial, { kind: 'loading' }>,
  storedEnd: Date | null,
  now: Date,
): Confirmation {
  if (trial.kind === 'subscribed') return { kind: 'subscribed' }
  if (trial.kind === 'unknown')
    return storedEnd && storedEnd > now ? { kind: 'running', end: storedEnd } : { kind: 'ready' }
  const { end } = trial
  if (end > now) return { kind: 'running', end }
  return endedAtSignUp(end, storedEnd) ? { kind: 'used' } : { kind: 'over', end }
}

/**
 * A trial that was used before ends at the sign-up. The browser stored that time a moment after the
 * server.
 */
function endedAtSignUp(end: Date, storedEnd: Date | null): boolean {
  return storedEnd !== null && Math.abs(storedEnd.getTime() - TRIAL_MS - end.getTime()) < MINUTE_MS
}
