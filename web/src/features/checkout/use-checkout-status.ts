import { type Query, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { checkoutQuery, isNoCheckout } from '../../api/checkout'
import { isLive, subscriptionQuery } from '../../api/subscription'
import type {
  Boleto,
  GetCheckoutSessionResponse,
  GetSubscriptionResponse,
} from '../../gen/garimpo/billing/v1/billing_service_pb'
import { type Outcome, outcomeOf } from '../../lib/checkout-outcome'
import { usePollInterval } from '../../lib/poll-interval'
import { SLOW_RETURN_MS } from '../../lib/timers'
import { useUid } from '../../session/session'

/** Server state of one checkout, read until there is a reply. */
export type CheckoutStatus =
  | { kind: 'asking' }
  | { kind: 'known'; outcome: Outcome; answer: GetCheckoutSessionResponse }
  /** No such session. */
  | { kind: 'unknown' }

const ASKING: CheckoutStatus = { kind: 'asking' }
const UNKNOWN: CheckoutStatus = { kind: 'unknown' }
const known = (answer: GetCheckoutSessionResponse): CheckoutStatus => ({
  kind: 'known',
  outcome: outcomeOf(answer),
  answer,
})

/**
 * Reads the state of a checkout, and again after a failed read and while `keepPolling` returns
 * true. Without a session id it is unknown.
 */
export function useCheckoutStatus(
  sessionId: string | null,
  keepPolling: (outcome: Outcome) => boolean = () => false,
): CheckoutStatus {
  const interval = usePollInterval()
  const isAwaited = ({ state: { data, error } }: Pick<Query<GetCheckoutSessionResponse>, 'state'>) =>
    error ? !isNoCheckout(error) : data !== undefined && keepPolling(outcomeOf(data))
  const { data, error } = useQuery({
    ...checkoutQuery(sessionId),
    select: known,
    refetchInterval: (query) => isAwaited(query) && interval(),
    refetchOnWindowFocus: (query) => isAwaited(query) && 'always',
  })
  if (!sessionId || (error && isNoCheckout(error))) return UNKNOWN
  return data ?? ASKING
}

/** A live subscription, an open boleto, or neither, as the server has it. */
type SubscriptionOrBoleto =
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

/** True once a page has waited too long to show nothing but 'Carregando...'. */
export function useIsSlow(): boolean {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), SLOW_RETURN_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSlow
}
