import { type Query, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isLive, subscriptionQuery } from '../../api/subscription'
import type { Boleto, GetSubscriptionResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { usePollInterval } from '../../lib/poll-interval'
import { useUid } from '../../session/session'

/**
 * What the account has, as the server says: a subscription that runs, a boleto that waits, or
 * neither.
 */
export type SubscriptionOrBoleto =
  | { kind: 'asking' }
  /** `waited`: this page saw its boleto before. */
  | { kind: 'active'; waited: boolean }
  | { kind: 'boleto'; boleto: Boleto }
  | { kind: 'nothing' }

/** Reads it for the signed-in visitor, and again after a failed read and while a boleto is open. */
export function useSubscriptionOrBoleto(): SubscriptionOrBoleto {
  const [waited, setWaited] = useState(false)
  const interval = usePollInterval()
  const isAwaited = ({ state: { status, data } }: Pick<Query<GetSubscriptionResponse>, 'state'>) =>
    status === 'error' || (data !== undefined && boletoOf(data) !== null)
  const { data } = useQuery({
    ...subscriptionQuery(useUid()),
    refetchInterval: (query) => isAwaited(query) && interval(),
    refetchOnWindowFocus: (query) => isAwaited(query) && 'always',
  })
  if (!data) return { kind: 'asking' }
  if (isLive(data.subscription)) return { kind: 'active', waited }
  const boleto = boletoOf(data)
  if (boleto && !waited) setWaited(true)
  return boleto ? { kind: 'boleto', boleto } : { kind: 'nothing' }
}

function boletoOf({ subscription, boleto }: GetSubscriptionResponse): Boleto | null {
  return isLive(subscription) ? null : (boleto ?? null)
}
