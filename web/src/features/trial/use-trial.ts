import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../../api/query-client'
import { isLive, subscriptionQuery } from '../../api/subscription'
import type { GetSubscriptionResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { toDate } from '../../lib/dates'
import { serverNow } from '../../lib/server-clock'
import { useConfirmedSession, useUid } from '../../session/session'

/** The free trial of the signed-in visitor: 7 days from account creation, no card. */
export type Trial =
  | { kind: 'loading' }
  /** `firstChargeAt`: when a purchase made now is first charged, where that is not at once. */
  | { kind: 'running'; end: Date; firstChargeAt: Date | null }
  | { kind: 'over'; end: Date }
  | { kind: 'subscribed' }
  | { kind: 'unknown' }

const LOADING: Trial = { kind: 'loading' }
const UNKNOWN: Trial = { kind: 'unknown' }

/**
 * The trial as the server has it; 'unknown' without a session or without an answer, which is no
 * verdict.
 */
export function useTrial(): Trial {
  const session = useConfirmedSession()
  const uid = useUid()
  const { data, isError } = useQuery({ ...subscriptionQuery(uid), select: trialOf }, queryClient)
  if (session.kind === 'none') return UNKNOWN
  return data ?? (isError ? UNKNOWN : LOADING)
}

function trialOf({ subscription, trialEndsAt, firstChargeAt }: GetSubscriptionResponse): Trial {
  if (isLive(subscription)) return { kind: 'subscribed' }
  const end = toDate(trialEndsAt)
  if (!end) return UNKNOWN
  if (end <= serverNow()) return { kind: 'over', end }
  return { kind: 'running', end, firstChargeAt: toDate(firstChargeAt) }
}
