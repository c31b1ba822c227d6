import { queryOptions } from '@tanstack/react-query'
import type { GetSubscriptionResponse } from '../gen/garimpo/billing/v1/billing_service_pb'
import type { User } from '../gen/garimpo/users/v1/user_service_pb'
import { read } from '../lib/browser-storage'
import { sessionIdOf } from '../lib/checkout-outcome'
import { call, logFailure } from './call'
import { askCheckout, type CheckoutState, isNoCheckout } from './checkout'
import { readSubscription } from './subscription'

/** Reads of an account; null is a failed read, never 'has nothing'. */
export interface AccountReads {
  record: User | null
  answer: GetSubscriptionResponse | null
  /** The checkout whose secret this browser keeps, or none; 'unknown' after a failed read. */
  checkout: ({ sessionId: string } & CheckoutState) | 'unknown' | null
}

/** Begins the key of the account's reads. */
export const ACCOUNT_KEY = ['account']

/** The reads of the account's page, which begin with its module (app/router.tsx). */
export const accountQuery = (uid: string | null) =>
  queryOptions({
    queryKey: [...ACCOUNT_KEY, uid],
    queryFn: async ({ client, queryKey }): Promise<AccountReads> => {
      const reads = await readAccount(uid ?? '')
      // An account is shown on if nothing could be read of it.
      return reads.record || reads.answer ? reads : (client.getQueryData<AccountReads>(queryKey) ?? reads)
    },
    enabled: uid !== null,
    // The page compares the reads with the time at which they arrived, also when they are the same.
    structuralSharing: false,
  })

async function readAccount(uid: string): Promise<AccountReads> {
  const [record, answer, checkout] = await Promise.all([
    call(({ users }) => users.getUser({ uid })).then(
      ({ user }) => user ?? null,
      logFailure('reading the user record failed'),
    ),
    // The client logs its failure.
    readSubscription().catch(() => null),
    readLastCheckout(),
  ])
  return { record, answer, checkout }
}

async function readLastCheckout(): Promise<AccountReads['checkout']> {
  const sessionId = sessionIdOf(read('checkoutClientSecret'))
  if (!sessionId) return null
  try {
    return { sessionId, ...(await askCheckout(sessionId)) }
  } catch (cause) {
    if (isNoCheckout(cause)) return null
    console.warn('asking for the last checkout failed', cause)
    return 'unknown'
  }
}
