import { serverNow } from '../../lib/server-clock'
import { type Subscribing, useSubscription } from '../../purchase/use-subscription'

/** The free trial of the signed-in visitor: 7 days from account creation, no card. */
export type Trial =
  | { kind: 'loading' }
  /** `firstChargeAt`: when a purchase made now is first charged, where that is not at once. */
  | { kind: 'running'; end: Date; firstChargeAt: Date | null }
  | { kind: 'over'; end: Date }
  | { kind: 'subscribed' }
  /** Without a session or without an answer, which is no verdict. */
  | { kind: 'unknown' }

/** The trial as the server has it. */
export function useTrial(): Trial {
  return trialOf(useSubscription())
}

function trialOf(subscribing: Subscribing): Trial {
  if (subscribing.kind === 'asking') return { kind: 'loading' }
  if (subscribing.kind === 'active') return { kind: 'subscribed' }
  const { trialEndsAt: end, firstChargeAt } = subscribing
  if (!end) return { kind: 'unknown' }
  return end > serverNow() ? { kind: 'running', end, firstChargeAt } : { kind: 'over', end }
}
