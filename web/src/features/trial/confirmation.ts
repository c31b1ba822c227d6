import type { Trial } from './use-trial'

/** What /account-confirmation may say of the trial: one thing at a time, and nothing that nobody knows. */
export type Confirmation =
  | { kind: 'running'; end: Date }
  | { kind: 'over'; end: Date }
  | { kind: 'subscribed' }
  | { kind: 'ready' }

/**
 * The server's answer; without one, the stored end as long as it lies ahead. A stored
 * end in the past is no verdict: whoever subscribes has one too.
 */
export function confirmationOf(
  trial: Exclude<Trial, { kind: 'loading' }>,
  storedEnd: Date | null,
  now: Date,
): Confirmation {
  if (trial.kind === 'subscribed') return { kind: 'subscribed' }
  if (trial.kind !== 'unknown') return { kind: trial.end > now ? 'running' : 'over', end: trial.end }
  return storedEnd && storedEnd > now ? { kind: 'running', end: storedEnd } : { kind: 'ready' }
}
