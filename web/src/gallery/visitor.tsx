import { create } from '@bufbuild/protobuf'
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { QueryClientProvider } from '@tanstack/react-query'
import { queryClient } from '../api/query-client'
import { SUBSCRIPTION_KEY, subscriptionQuery } from '../api/subscription'
import { GetSubscriptionResponseSchema } from '../gen/garimpo/billing/v1/billing_service_pb'
import type { Elements } from '../lib/elements'
import { DAY_MS } from '../lib/timers'
import { ToastProvider } from '../lib/toasts'
import { SessionContext, type SessionUser } from '../session/session'

/** The time in so many days. */
export const inDays = (days: number): Timestamp => timestampFromMs(Date.now() + days * DAY_MS)

const user: SessionUser = { uid: 'usr_1', email: 'ana@exemplo.com.br', displayName: 'Ana Souza' }
const nothing = async () => undefined
const session: SessionContext = {
  session: { kind: 'user', user },
  confirm: async () => user,
  recheck: async () => user,
  signedIn: nothing,
  signOut: nothing,
}

// No part calls the server here.
queryClient.setDefaultOptions({
  queries: {
    ...queryClient.getDefaultOptions().queries,
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  },
})
queryClient.setQueryDefaults(SUBSCRIPTION_KEY, { staleTime: Number.POSITIVE_INFINITY })
const offers = { offers: [], selectedPriceCentavos: 197_90n, monthlyPriceCentavos: 237_90n }
queryClient.setQueryDefaults(['offers', { planId: 'elite_nivel_2' }], { initialData: { answer: offers } })
queryClient.setQueryData(
  subscriptionQuery(user.uid).queryKey,
  create(GetSubscriptionResponseSchema, {
    boleto: { line: '23793', amountCentavos: 197_90n, dueAt: inDays(3) },
    trialEndsAt: inDays(6.8),
    campaignEndsAt: inDays(5),
  }),
)

/** Signed in, on the first day of the trial, in the campaign and with an unpaid boleto. */
export function Visitor({ children }: { children: Elements }) {
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={queryClient}>
        <ToastProvider>{children}</ToastProvider>
      </QueryClientProvider>
    </SessionContext>
  )
}
